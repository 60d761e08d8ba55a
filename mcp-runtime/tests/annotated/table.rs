//! Checks each row of the table in `docs/values.md`: each type as an argument and as a result.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, NaiveDate, Utc};
use mcp_runtime::prelude::*;
use mcp_runtime::types::{EmbeddedResource, ResourceContents, ResourceLink};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::support::{Wire, request, stateless};

const DOCUMENT: &str = include_str!("../../docs/values.md");
const STATELESS: &str = "2026-07-28";

#[derive(Serialize, Deserialize, JsonSchema)]
struct Book {
    title: String,
    pages: Option<i64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Point,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}

fn image() -> Image {
    Image::png([1, 2, 3])
}

fn link() -> ResourceLink {
    ResourceLink::new("emma", "book://emma")
}

/// A tool for each row, whose title is the type.
struct Values;

#[mcp_server(undocumented = "allow")]
impl Values {
    #[tool(title = "bool")]
    fn boolean(&self, value: bool) -> bool {
        value
    }

    #[tool(title = "i64")]
    fn integer(&self, value: i64) -> i64 {
        value
    }

    #[tool(title = "u8")]
    fn byte(&self, value: u8) -> u8 {
        value
    }

    #[tool(title = "f64")]
    fn float(&self, value: f64) -> f64 {
        value
    }

    #[tool(title = "Option<i64>")]
    fn optional_integer(&self, value: Option<i64>) -> Option<i64> {
        value
    }

    #[tool(title = "Book")]
    fn book(&self, value: Book) -> Book {
        value
    }

    #[tool(title = "(i64, String)")]
    fn pair(&self, value: (i64, String)) -> (i64, String) {
        value
    }

    #[tool(title = "(String, String)")]
    fn texts(&self, value: (String, String)) -> (String, String) {
        value
    }

    #[tool(title = "Vec<String>")]
    fn list(&self, value: Vec<String>) -> Vec<String> {
        value
    }

    #[tool(title = "BTreeMap<String, i64>")]
    fn map(&self, value: BTreeMap<String, i64>) -> BTreeMap<String, i64> {
        value
    }

    #[tool(title = "Color")]
    fn color(&self, value: Color) -> Color {
        value
    }

    #[tool(title = "Shape")]
    fn shape(&self, value: Shape) -> Shape {
        value
    }

    #[tool(title = "Folder")]
    fn folder(&self, value: Folder) -> Folder {
        value
    }

    #[tool(title = "NonZeroU8")]
    fn small(&self, value: NonZeroU8) -> NonZeroU8 {
        value
    }

    #[tool(title = "Option<Vec<String>>")]
    fn optional_list(&self, value: Option<Vec<String>>) -> Option<Vec<String>> {
        value
    }

    #[tool(title = "Option<Book>")]
    fn optional_book(&self, value: Option<Book>) -> Option<Book> {
        value
    }

    #[tool(title = "[i64; 2]")]
    fn array(&self, value: [i64; 2]) -> [i64; 2] {
        value
    }

    #[tool(title = "BTreeSet<String>")]
    fn set(&self, value: BTreeSet<String>) -> BTreeSet<String> {
        value
    }

    #[tool(title = "BTreeMap<u8, String>")]
    fn numbered(&self, value: BTreeMap<u8, String>) -> BTreeMap<u8, String> {
        value
    }

    #[tool(title = "Duration")]
    fn duration(&self, value: Duration) -> Duration {
        value
    }

    #[tool(title = "PathBuf")]
    fn path(&self, value: PathBuf) -> PathBuf {
        value
    }

    #[tool(title = "Box<Book>")]
    fn boxed(&self, value: Box<Book>) -> Box<Book> {
        value
    }

    #[tool(title = "Box<str>")]
    fn boxed_text(&self, value: Box<str>) -> Box<str> {
        value
    }

    #[tool(title = "Cow<'static, str>")]
    fn cow(&self, value: Cow<'static, str>) -> Cow<'static, str> {
        value
    }

    #[tool(title = "Result<i64, &'static str>")]
    fn fallible(&self, value: i64) -> Result<i64, &'static str> {
        Ok(value)
    }

    #[tool(title = "Result<Option<i64>, ToolError>")]
    fn fallible_option(&self, value: Option<i64>) -> Result<Option<i64>, ToolError> {
        Ok(value)
    }

    #[tool(title = "DateTime<Utc>")]
    fn instant(&self, value: DateTime<Utc>) -> DateTime<Utc> {
        value
    }

    #[tool(title = "NaiveDate")]
    fn date(&self, value: NaiveDate) -> NaiveDate {
        value
    }

    #[tool(title = "Uuid")]
    fn uuid(&self, value: Uuid) -> Uuid {
        value
    }

    #[tool(title = "Url")]
    fn url(&self, value: Url) -> Url {
        value
    }

    #[tool(title = "Value")]
    fn any(&self, value: Value) -> Value {
        value
    }

    #[tool(title = "Json<String>")]
    fn json(&self) -> Json<String> {
        Json("Emma".to_owned())
    }

    #[tool(title = "Structured<Book>")]
    fn structured(&self) -> Structured<Book> {
        let title = "Emma".to_owned();
        let book = Book { title, pages: None };
        Structured::new(book)
            .with_text("Emma, by Jane Austen")
            .with_content(image())
    }

    #[tool(title = "()")]
    fn nothing(&self) {}

    #[tool(title = "String")]
    fn text(&self, value: String) -> String {
        value
    }

    #[tool(title = "char")]
    fn character(&self, value: char) -> char {
        value
    }

    #[tool(title = "Option<String>")]
    fn optional_text(&self, value: Option<String>) -> Option<String> {
        value
    }

    #[tool(title = "ContentBlock")]
    fn block(&self) -> ContentBlock {
        ContentBlock::text("Emma")
    }

    #[tool(title = "Image")]
    fn image(&self) -> Image {
        image()
    }

    #[tool(title = "Audio")]
    fn audio(&self) -> Audio {
        Audio::wav([1, 2, 3])
    }

    #[tool(title = "ResourceLink")]
    fn link(&self) -> ResourceLink {
        link()
    }

    #[tool(title = "EmbeddedResource")]
    fn embedded(&self) -> EmbeddedResource {
        EmbeddedResource::new(ResourceContents::text("book://emma", "text"))
    }

    #[tool(title = "Vec<Image>")]
    fn images(&self) -> Vec<Image> {
        vec![image(), image()]
    }

    #[tool(title = "(String, Image)")]
    fn text_and_image(&self) -> (String, Image) {
        ("Emma".to_owned(), image())
    }

    #[tool(title = "(String, Option<ResourceLink>)")]
    fn text_and_link(&self) -> (String, Option<ResourceLink>) {
        ("Emma".to_owned(), Some(link()))
    }
}

/// One row of the table, whose cells are code or, for nothing, a dash.
struct Row {
    kind: &'static str,
    input: Option<Value>,
    output: Option<Value>,
    /// The text of each block, or the type of a block that is not text.
    content: Vec<&'static str>,
    structured: Option<Value>,
    /// The structured content in revisions that require an object.
    object: Option<Value>,
}

fn rows() -> Vec<Row> {
    let lines = DOCUMENT.lines().filter(|line| line.starts_with("| `"));
    lines.map(row).collect()
}

fn row(line: &'static str) -> Row {
    let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
    let [kind, input, output, content, structured, object] = cells[..] else {
        panic!("{line}")
    };
    let json = |cell: &str| match cell {
        "—" => None,
        "the same" => Some(serde_json::from_str(code(input)).expect(line)),
        cell => Some(serde_json::from_str(code(cell)).expect(line)),
    };
    Row {
        kind: code(kind),
        input: json(input),
        output: json(output),
        content: match content {
            "—" => Vec::new(),
            content => content.split(" and ").collect(),
        },
        structured: json(structured),
        object: json(object),
    }
}

fn code(cell: &str) -> &str {
    let code = cell.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    code.unwrap_or_else(|| panic!("no code: {cell}"))
}

impl Row {
    fn arguments(&self) -> Value {
        if self.input.is_none() {
            return json!({});
        }
        let text = self.content.first().map(|text| code(text).into());
        json!({"value": self.structured.clone().or(text)})
    }

    /// Returns the content in `revision`: the texts, and the types of other blocks.
    fn content(&self, revision: &str) -> Vec<String> {
        let known = |kind: &str| match kind {
            "audio" => revision >= "2025-03-26",
            "resource_link" => revision >= "2025-06-18",
            _ => true,
        };
        let block = |&block: &&str| match block {
            text if text.starts_with('`') => code(text).to_owned(),
            kind if known(kind) => kind.to_owned(),
            kind => format!("instead of {kind}"),
        };
        self.content.iter().map(block).collect()
    }

    /// Returns the structured content in `revision`, and its schema.
    fn structure(&self, revision: &str) -> (Option<Value>, Option<Value>) {
        let structured = self.structured.clone();
        let schema = self.output.clone();
        if revision < "2025-06-18" {
            (None, None)
        } else if revision < STATELESS && self.object != self.structured {
            let wrapped = schema.map(|schema| {
                let properties = json!({"result": schema});
                json!({"type": "object", "properties": properties, "required": ["result"]})
            });
            (self.object.clone(), wrapped)
        } else {
            (structured, schema)
        }
    }
}

/// Returns the blocks of a result as in the table. Text that `expected` calls `instead of …` gets
/// that name.
fn content(result: &Value, expected: &[String]) -> Vec<String> {
    let blocks = result["content"].as_array().unwrap().iter();
    let name = |(index, block): (usize, &Value)| {
        let text = block["text"].as_str();
        let stand_in = expected
            .get(index)
            .filter(|it| it.starts_with("instead of"));
        match (text, stand_in) {
            (Some(_), Some(stand_in)) => stand_in.clone(),
            (text, _) => text.or(block["type"].as_str()).unwrap().to_owned(),
        }
    };
    blocks.enumerate().map(name).collect()
}

async fn connect(revision: &str) -> (Wire, Vec<Value>) {
    let mut wire = Wire::to(&Values.into_server()).await;
    let list = if revision == STATELESS {
        stateless(1, "tools/list", json!({}))
    } else {
        wire.handshake(revision).await;
        request(1, "tools/list", json!({}))
    };
    let mut answer = wire.ask(list).await;
    let tools = serde_json::from_value(answer["result"]["tools"].take()).unwrap();
    (wire, tools)
}

#[tokio::test]
async fn values_travel_as_the_table_shows() {
    // Older revisions do not list titles.
    let (_, titled) = connect(STATELESS).await;
    for revision in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        STATELESS,
    ] {
        let (mut wire, tools) = connect(revision).await;
        for row in rows() {
            let context = format!("{revision} {}", row.kind);
            let titled = titled.iter().find(|tool| tool["title"] == row.kind);
            let name = &titled.expect(&context)["name"];
            let tool = tools.iter().find(|tool| tool["name"] == *name).unwrap();
            let input = tool["inputSchema"]["properties"].get("value");
            assert_eq!(input, row.input.as_ref(), "{context}");
            let mut output = tool.get("outputSchema").cloned();
            let members = output.as_mut().and_then(Value::as_object_mut);
            members.and_then(|members| members.remove("$defs"));
            let (structured, schema) = row.structure(revision);
            assert_eq!(output, schema, "{context}");
            let params = json!({"name": name, "arguments": row.arguments()});
            let call = match revision {
                STATELESS => stateless(2, "tools/call", params),
                _ => request(2, "tools/call", params),
            };
            let answer = wire.ask(call).await;
            let result = &answer["result"];
            let expected = row.content(revision);
            assert_eq!(content(result, &expected), expected, "{context}");
            assert_eq!(
                result.get("structuredContent").cloned(),
                structured,
                "{context}"
            );
        }
    }
}

#[tokio::test]
async fn the_table_has_a_row_for_each_tool() {
    let (_, tools) = connect(STATELESS).await;
    let rows = rows();
    for tool in tools {
        assert!(rows.iter().any(|row| tool["title"] == row.kind), "{tool}");
    }
}
