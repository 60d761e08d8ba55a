//! The return values of functions as clients get them.

use std::fmt;

use anyhow::Context as _;
use mcp_runtime::prelude::*;
use mcp_runtime::types::{EmbeddedResource, ResourceContents, TextContent};
use serde_json::{Value, json};

use crate::{answer, call, text};

#[derive(Clone, Serialize, JsonSchema)]
struct Book {
    title: String,
    pages: Option<u32>,
}

fn book() -> Book {
    Book {
        title: "Emma".to_owned(),
        pages: None,
    }
}

#[derive(Debug)]
struct Lost;

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the book is lost")
    }
}

/// A type whose schema is a reference to itself.
#[derive(Serialize, JsonSchema)]
struct Branch {
    name: String,
    branches: Vec<Branch>,
}

/// A type whose schema is one of several objects.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Found {
    Book(Book),
    Nothing,
}

/// An error that shows its causes only in its alternate form, as error types that collect causes
/// do.
struct Layered;

impl fmt::Display for Layered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() {
            "outer: inner"
        } else {
            "outer"
        })
    }
}

type Outcome<T> = Result<T, Lost>;

pub(crate) struct Results;

#[mcp_server(undocumented = "allow")]
impl Results {
    #[tool]
    fn unit(&self) {}

    #[tool]
    fn string(&self) -> String {
        "text".to_owned()
    }

    #[tool]
    fn recursive(&self) -> Json<Branch> {
        let branches = vec![Branch {
            name: "inner".to_owned(),
            branches: vec![],
        }];
        Json(Branch {
            name: "outer".to_owned(),
            branches,
        })
    }

    #[tool]
    fn tagged(&self) -> Json<Found> {
        Json(Found::Book(book()))
    }

    #[tool]
    fn tagged_nothing(&self) -> Json<Found> {
        Json(Found::Nothing)
    }

    #[tool]
    fn literal(&self) -> &'static str {
        "text"
    }

    #[tool]
    fn integer(&self) -> u8 {
        5
    }

    #[tool]
    fn float(&self) -> f64 {
        0.5
    }

    #[tool]
    fn boolean(&self) -> bool {
        true
    }

    #[tool]
    fn some(&self) -> Option<String> {
        Some("text".to_owned())
    }

    #[tool]
    fn none(&self) -> Option<String> {
        None
    }

    #[tool]
    fn block(&self) -> ContentBlock {
        ContentBlock::from(TextContent::new("text"))
    }

    #[tool]
    fn blocks(&self) -> Vec<ContentBlock> {
        vec![self.block(), self.block()]
    }

    #[tool]
    fn image(&self) -> Image {
        Image::png([1, 2, 3])
    }

    #[tool]
    fn audio(&self) -> Audio {
        Audio::wav([1, 2, 3, 4])
    }

    #[tool]
    fn link(&self) -> ResourceLink {
        ResourceLink::new("emma", "book://emma")
    }

    #[tool]
    fn text_and_image(&self) -> (String, Image) {
        (self.string(), self.image())
    }

    #[tool]
    async fn images(&self) -> Result<Vec<Image>, Lost> {
        Ok(vec![self.image(), self.image()])
    }

    #[tool]
    fn no_images(&self) -> Option<Vec<Image>> {
        None
    }

    #[tool]
    fn report(&self) -> Result<(&'static str, Option<Audio>, [Image; 1]), Lost> {
        Ok(("text", None, [self.image()]))
    }

    #[tool]
    fn text_and_resources(&self) -> (String, ResourceLink, EmbeddedResource) {
        let contents = ResourceContents::text("book://emma", "text");
        (self.string(), self.link(), EmbeddedResource::new(contents))
    }

    #[tool]
    fn texts(&self) -> Vec<String> {
        vec![self.string()]
    }

    #[tool]
    fn pair(&self) -> (String, String) {
        (self.string(), self.string())
    }

    #[tool]
    fn some_number(&self) -> Option<u8> {
        Some(5)
    }

    #[tool]
    fn no_number(&self) -> Result<Option<u8>, Lost> {
        Ok(None)
    }

    #[tool]
    fn no_json(&self) -> Option<Json<Book>> {
        None
    }

    #[tool]
    fn number_as_json(&self) -> Json<i64> {
        Json(5)
    }

    #[tool]
    fn with_text(&self) -> Structured<Book> {
        Structured::new(book()).with_text("Emma, of unknown length")
    }

    #[tool]
    fn with_content(&self) -> Result<Structured<Book>, Lost> {
        let more = (self.image(), "text");
        Ok(Structured::new(book())
            .with_content(self.block())
            .with_content(more))
    }

    #[tool]
    fn no_structure(&self) -> Option<Structured<u8>> {
        None
    }

    #[tool(output = false)]
    fn text_of_structure(&self) -> Structured<Book> {
        self.with_text().with_content(self.block())
    }

    #[tool]
    fn own(&self) -> Book {
        book()
    }

    #[tool]
    fn any(&self) -> Value {
        json!({"any": [1]})
    }

    #[tool]
    async fn list(&self) -> Vec<Book> {
        vec![book()]
    }

    #[tool]
    fn optional(&self) -> Option<Book> {
        None
    }

    #[tool(output = false)]
    fn text_only(&self) -> Book {
        book()
    }

    #[tool]
    fn whole(&self) -> CallToolResult {
        CallToolResult::new([self.block()]).with_is_error(true)
    }

    #[tool(output = Book)]
    fn whole_book(&self) -> CallToolResult {
        let emma = json!({"title": "Emma", "pages": null});
        CallToolResult::new([self.block()]).with_structured_content(emma)
    }

    #[tool(output = Vec<Option<Book>>)]
    async fn whole_books(&self) -> Outcome<CallToolResult> {
        Ok(CallToolResult::new([]).with_structured_content(json!([null])))
    }

    #[tool(output = Book)]
    fn lost_book(&self) -> anyhow::Result<CallToolResult> {
        Err(anyhow::anyhow!("the book is lost"))
    }

    #[tool(output = Book)]
    fn another_book(&self) -> CallToolResult {
        CallToolResult::new([]).with_structured_content(json!({"title": 1}))
    }

    #[tool]
    fn fine(&self) -> Result<Book, Lost> {
        Ok(book())
    }

    #[tool]
    fn lost(&self) -> Outcome<Book> {
        Err(Lost)
    }

    #[tool]
    async fn lost_later(&self) -> Outcome<()> {
        Err(Lost)
    }

    #[tool]
    fn boxed(&self) -> Result<i64, Box<dyn std::error::Error>> {
        Ok("x".parse()?)
    }

    #[tool]
    fn layered(&self) -> Result<(), Layered> {
        Err(Layered)
    }

    #[tool]
    fn anyhow_error(&self) -> anyhow::Result<Book> {
        let lost: anyhow::Result<Book> = Err(anyhow::anyhow!("the shelf is empty"));
        lost.context("no book")
    }

    #[tool]
    async fn anyhow_success(&self) -> anyhow::Result<Vec<Book>> {
        Ok(vec![book()])
    }

    #[tool]
    fn tool_error(&self) -> Result<(), ToolError> {
        Err(ToolError::new("no").with_content([self.block()]))
    }

    #[tool]
    fn protocol_error(&self) -> Result<(), ProtocolError> {
        Err(ProtocolError::new(-32050, "not now"))
    }
}

fn failed(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

fn structured(text: &str, structured: Value) -> Value {
    json!({"content": [{"type": "text", "text": text}], "structuredContent": structured})
}

#[tokio::test]
async fn every_return_type_answers() {
    let block = json!({"type": "text", "text": "text"});
    let emma = json!({"title": "Emma", "pages": null});
    let emma_text = r#"{"title":"Emma","pages":null}"#;
    let image = json!({"type": "image", "data": "AQID", "mimeType": "image/png"});
    let link = json!({"type": "resource_link", "name": "emma", "uri": "book://emma"});
    let embedded = json!({"type": "resource", "resource": {"uri": "book://emma", "text": "text"}});
    let server = Results.into_server();
    for (tool, expected) in [
        ("unit", json!({"content": []})),
        ("string", text("text")),
        ("literal", text("text")),
        ("integer", structured("5", json!(5))),
        ("float", structured("0.5", json!(0.5))),
        ("boolean", structured("true", json!(true))),
        ("some", text("text")),
        ("none", json!({"content": []})),
        ("block", json!({"content": [block]})),
        ("blocks", json!({"content": [block, block]})),
        ("image", json!({"content": [image]})),
        ("text_and_image", json!({"content": [block, image]})),
        ("images", json!({"content": [image, image]})),
        ("no_images", json!({"content": []})),
        ("report", json!({"content": [block, image]})),
        (
            "text_and_resources",
            json!({"content": [block, link, embedded]}),
        ),
        (
            "audio",
            json!({"content": [{"type": "audio", "data": "AQIDBA==", "mimeType": "audio/wav"}]}),
        ),
        ("link", json!({"content": [link]})),
        ("texts", structured(r#"["text"]"#, json!(["text"]))),
        (
            "pair",
            structured(r#"["text","text"]"#, json!(["text", "text"])),
        ),
        ("some_number", structured("5", json!(5))),
        ("no_number", structured("null", json!(null))),
        ("no_json", structured("null", json!(null))),
        (
            "with_text",
            structured("Emma, of unknown length", emma.clone()),
        ),
        (
            "with_content",
            json!({
                "content": [{"type": "text", "text": emma_text}, block, image, block],
                "structuredContent": emma,
            }),
        ),
        ("no_structure", structured("null", json!(null))),
        (
            "text_of_structure",
            json!({"content": [{"type": "text", "text": "Emma, of unknown length"}, block]}),
        ),
        ("number_as_json", structured("5", json!(5))),
        ("any", structured(r#"{"any":[1]}"#, json!({"any": [1]}))),
        ("own", structured(emma_text, emma.clone())),
        ("list", structured(&format!("[{emma_text}]"), json!([emma]))),
        ("optional", structured("null", json!(null))),
        ("text_only", text(emma_text)),
        ("whole", failed("text")),
        ("whole_book", structured("text", emma.clone())),
        (
            "whole_books",
            json!({"content": [], "structuredContent": [null]}),
        ),
        ("lost_book", failed("the book is lost")),
        ("fine", structured(emma_text, emma.clone())),
        ("lost", failed("the book is lost")),
        ("lost_later", failed("the book is lost")),
        ("boxed", failed("invalid digit found in string")),
        ("layered", failed("outer: inner")),
        ("anyhow_error", failed("no book: the shelf is empty")),
        (
            "anyhow_success",
            structured(&format!("[{emma_text}]"), json!([emma])),
        ),
        (
            "tool_error",
            json!({"content": [{"type": "text", "text": "no"}, block], "isError": true}),
        ),
    ] {
        assert_eq!(call(&server, tool, json!({})).await, expected, "{tool}");
    }
}

#[tokio::test]
async fn a_protocol_error_is_not_a_result() {
    let answer = answer(&Results.into_server(), "protocol_error", json!({})).await;
    assert_eq!(
        answer["error"],
        json!({"code": -32050, "message": "not now"})
    );
}

#[cfg(all(debug_assertions, feature = "validation"))]
#[tokio::test]
async fn a_whole_result_that_does_not_fit_its_output_is_not_sent() {
    let answer = answer(&Results.into_server(), "another_book", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603);
}
