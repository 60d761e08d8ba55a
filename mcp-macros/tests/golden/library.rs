use mcp_runtime::prelude::*;

struct Library<D> {
    db: D,
}

/// Ask about books.
#[mcp_server(
    name = "library",
    website = "https://example.com",
    requires(sampling),
    scopes("books:read"),
    filter_by_scopes,
    page_size = 50
)]
impl<D: Db> Library<D> {
    /// Finds books by title.
    #[tool(with(Priced(3), Logged), read_only, timeout = "30s")]
    async fn find(
        &self,
        /// Part of the title, in any case.
        title: String,
        /// At most this many books.
        #[arg(default = 10, range = 1..=100)]
        limit: u32,
    ) -> Result<Vec<Book>, DbError> {
        self.db.find(&title, limit).await
    }

    /// Summarises one book for a reader.
    #[prompt(scopes("books:read", "books:quote"))]
    fn summary(&self, #[arg(complete = Self::titles)] title: String, tone: Option<Tone>) -> String {
        format!("Summarise {title} {tone:?}.")
    }

    /// One book, as JSON.
    #[resource("book://{isbn}", mime = "application/json", list = Self::books, subscribe)]
    async fn book(&self, #[arg(complete = isbns)] isbn: Isbn) -> Result<Json<Book>, NotFound> {
        self.db.book(isbn).await.map(Json).ok_or(NotFound)
    }

    #[on_shutdown]
    async fn close(&self) {
        self.db.close().await;
    }

    async fn titles(&self, request: &CompletionRequest) -> Vec<String> {
        self.db.titles(request.value()).await
    }

    fn books() -> Vec<Resource> {
        Vec::new()
    }
}
