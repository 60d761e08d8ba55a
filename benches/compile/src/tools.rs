//! The tools that both servers have. There are ten kinds of numbered tools, so any number of
//! tools can be generated.

/// One kind of tool, as source code. `@` is replaced by the tool's number.
pub(crate) struct Kind {
    /// Types that both versions need.
    pub(crate) types: &'static str,
    /// The method for mcp-runtime.
    pub(crate) ours: &'static str,
    /// The type of the arguments, which `rmcp` needs.
    pub(crate) arguments: &'static str,
    /// The method for `rmcp`.
    pub(crate) rmcp: &'static str,
}

/// Types that all tools share.
pub(crate) const SHARED: &str = r#"
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Book {
    /// The title on the cover.
    title: String,
    author: Option<String>,
    pages: u32,
}

#[derive(Serialize, JsonSchema)]
struct Books {
    books: Vec<Book>,
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    title: String,
    /// The number of copies.
    count: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    street: String,
    city: String,
    post_code: Option<String>,
}
"#;

pub(crate) const KINDS: [Kind; 10] = [
    Kind {
        types: "",
        ours: r#"
    /// Adds two numbers and @.
    #[tool(read_only)]
    fn add_@(
        &self,
        /// The first number.
        a: i64,
        /// The second number.
        b: i64,
    ) -> i64 {
        a + b + @
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Add@ {
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
}
"#,
        rmcp: r#"
    #[tool(description = "Adds two numbers, and @.", annotations(read_only_hint = true))]
    fn add_@(&self, Parameters(Add@ { a, b }): Parameters<Add@>) -> String {
        (a + b + @).to_string()
    }
"#,
    },
    Kind {
        types: "",
        ours: r#"
    /// Finds books by title.
    #[tool(read_only)]
    async fn find_@(
        &self,
        /// Part of the title.
        title: String,
        /// The maximum number of books.
        limit: Option<u32>,
    ) -> Result<Books, String> {
        let found = self.books.iter().filter(|book| book.title.contains(&title));
        let books: Vec<Book> = found.take(limit.unwrap_or(@) as usize).cloned().collect();
        if books.is_empty() {
            return Err(format!("no book is called {title}"));
        }
        Ok(Books { books })
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Find@ {
    /// Part of the title.
    title: String,
    /// The maximum number of books.
    limit: Option<u32>,
}
"#,
        rmcp: r#"
    #[tool(description = "Finds books by title.", annotations(read_only_hint = true))]
    async fn find_@(
        &self,
        Parameters(Find@ { title, limit }): Parameters<Find@>,
    ) -> Result<Json<Books>, String> {
        let found = self.books.iter().filter(|book| book.title.contains(&title));
        let books: Vec<Book> = found.take(limit.unwrap_or(@) as usize).cloned().collect();
        if books.is_empty() {
            return Err(format!("no book is called {title}"));
        }
        Ok(Json(Books { books }))
    }
"#,
    },
    Kind {
        types: "",
        ours: r#"
    /// Orders books.
    #[tool]
    async fn order_@(
        &self,
        /// The customer who pays.
        customer: String,
        lines: Vec<Line>,
        /// The address of the delivery.
        address: Address,
    ) -> Result<String, String> {
        let count: u32 = lines.iter().map(|line| line.count).sum();
        if lines.iter().any(|line| line.title.is_empty()) {
            return Err("a book without a title".to_owned());
        }
        let Address { street, city, post_code } = address;
        Ok(format!("{customer}: {count} to {street}, {city} {post_code:?} (@)"))
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Order@ {
    /// The customer who pays.
    customer: String,
    lines: Vec<Line>,
    /// The address of the delivery.
    address: Address,
}
"#,
        rmcp: r#"
    #[tool(description = "Orders books.")]
    async fn order_@(
        &self,
        Parameters(Order@ { customer, lines, address }): Parameters<Order@>,
    ) -> Result<String, String> {
        let count: u32 = lines.iter().map(|line| line.count).sum();
        if lines.iter().any(|line| line.title.is_empty()) {
            return Err("a book without a title".to_owned());
        }
        let Address { street, city, post_code } = address;
        Ok(format!("{customer}: {count} to {street}, {city} {post_code:?} (@)"))
    }
"#,
    },
    Kind {
        types: r#"
#[derive(Serialize, JsonSchema)]
struct Report@ {
    books: usize,
    pages: u32,
    longest: Option<Book>,
}
"#,
        ours: r#"
    /// Describes the shelf.
    #[tool(read_only)]
    fn report_@(&self) -> Report@ {
        Report@ {
            books: self.books.len() + @,
            pages: self.books.iter().map(|book| book.pages).sum(),
            longest: self.books.iter().max_by_key(|book| book.pages).cloned(),
        }
    }
"#,
        arguments: "",
        rmcp: r#"
    #[tool(description = "Reports on the shelf.", annotations(read_only_hint = true))]
    fn report_@(&self) -> Json<Report@> {
        Json(Report@ {
            books: self.books.len() + @,
            pages: self.books.iter().map(|book| book.pages).sum(),
            longest: self.books.iter().max_by_key(|book| book.pages).cloned(),
        })
    }
"#,
    },
    Kind {
        types: r#"
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order@By {
    Title,
    Author,
    Pages,
}
"#,
        ours: r#"
    /// Sorts the shelf.
    #[tool(idempotent)]
    fn sort_@(&self, by: Order@By, descending: bool) -> String {
        format!("sorted by {by:?}, {descending}")
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Sort@ {
    by: Order@By,
    descending: bool,
}
"#,
        rmcp: r#"
    #[tool(description = "Sorts the shelf.", annotations(idempotent_hint = true))]
    fn sort_@(&self, Parameters(Sort@ { by, descending }): Parameters<Sort@>) -> String {
        format!("sorted by {by:?}, {descending}")
    }
"#,
    },
    Kind {
        types: "",
        ours: r#"
    /// Tags a book.
    #[tool]
    async fn tag_@(&self, title: String, tags: Vec<String>) -> String {
        format!("{title}: {} (@)", tags.join(", "))
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Tag@ {
    title: String,
    tags: Vec<String>,
}
"#,
        rmcp: r#"
    #[tool(description = "Tags a book.")]
    async fn tag_@(&self, Parameters(Tag@ { title, tags }): Parameters<Tag@>) -> String {
        format!("{title}: {} (@)", tags.join(", "))
    }
"#,
    },
    Kind {
        types: "",
        ours: r#"
    /// Reserves a book for the caller.
    #[tool]
    async fn reserve_@(&self, title: String, cx: &Context) -> String {
        format!("{title} is reserved by request {}", cx.request_id())
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Reserve@ {
    title: String,
}
"#,
        rmcp: r#"
    #[tool(description = "Reserves a book for who asks.")]
    async fn reserve_@(
        &self,
        Parameters(Reserve@ { title }): Parameters<Reserve@>,
        cx: RequestContext<RoleServer>,
    ) -> String {
        format!("{title} is reserved by request {}", cx.id)
    }
"#,
    },
    Kind {
        types: r#"
#[derive(Serialize, JsonSchema)]
struct Totals@ {
    sum: f64,
    names: Vec<String>,
}
"#,
        ours: r#"
    /// Adds up the payments.
    #[tool(read_only)]
    fn totals_@(&self, payments: HashMap<String, f64>) -> Totals@ {
        Totals@ {
            sum: payments.values().sum::<f64>() + @.0,
            names: payments.into_keys().collect(),
        }
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Total@ {
    payments: HashMap<String, f64>,
}
"#,
        rmcp: r#"
    #[tool(description = "Adds up what was paid.", annotations(read_only_hint = true))]
    fn totals_@(&self, Parameters(Total@ { payments }): Parameters<Total@>) -> Json<Totals@> {
        Json(Totals@ {
            sum: payments.values().sum::<f64>() + @.0,
            names: payments.into_keys().collect(),
        })
    }
"#,
    },
    Kind {
        types: "",
        ours: r#"
    /// Lends a book.
    #[tool]
    fn lend_@(&self, title: String, days: u8) -> Result<String, String> {
        match self.books.iter().find(|book| book.title == title) {
            Some(book) => Ok(format!("{} for {days} days", book.title)),
            None => Err(format!("there is no {title} (@)")),
        }
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Lend@ {
    title: String,
    days: u8,
}
"#,
        rmcp: r#"
    #[tool(description = "Lends a book.")]
    fn lend_@(&self, Parameters(Lend@ { title, days }): Parameters<Lend@>) -> Result<String, String> {
        match self.books.iter().find(|book| book.title == title) {
            Some(book) => Ok(format!("{} for {days} days", book.title)),
            None => Err(format!("there is no {title} (@)")),
        }
    }
"#,
    },
    Kind {
        types: "",
        ours: r#"
    /// Measures a shelf.
    #[tool]
    fn measure_@(&self, width: f64, height: f64, unit: Option<String>, double: bool, boards: u8) -> String {
        let area = width * height * f64::from(boards) * if double { 2.0 } else { 1.0 };
        format!("{area} {} (@)", unit.as_deref().unwrap_or("m²"))
    }
"#,
        arguments: r#"
#[derive(Deserialize, JsonSchema)]
struct Measure@ {
    width: f64,
    height: f64,
    unit: Option<String>,
    double: bool,
    boards: u8,
}
"#,
        rmcp: r#"
    #[tool(description = "Measures a shelf.")]
    fn measure_@(
        &self,
        Parameters(Measure@ { width, height, unit, double, boards }): Parameters<Measure@>,
    ) -> String {
        let area = width * height * f64::from(boards) * if double { 2.0 } else { 1.0 };
        format!("{area} {} (@)", unit.as_deref().unwrap_or("m²"))
    }
"#,
    },
];
