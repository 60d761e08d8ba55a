//! Patterns that arguments must match.

use mcp_runtime::prelude::*;
use serde_json::json;

use crate::{call, faults, listed, text};

struct Patterns;

#[mcp_server(undocumented = "allow")]
impl Patterns {
    #[tool]
    fn find(
        &self,
        #[arg(pattern = "^[0-9]{3}$")] isbn: String,
        #[arg(pattern = "x")] other: Option<String>,
    ) -> String {
        format!("{isbn} {other:?}")
    }

    #[tool]
    fn lend(&self, book: Book) -> String {
        book.isbn
    }
}

#[derive(Deserialize, JsonSchema)]
struct Book {
    #[schemars(regex(pattern = "^[0-9]{3}$"))]
    isbn: String,
}

#[tokio::test]
async fn a_pattern_is_shown_and_enforced() {
    let schema = listed(Patterns, "find").await["inputSchema"].take();
    assert_eq!(
        schema["properties"]["isbn"],
        json!({"type": "string", "pattern": "^[0-9]{3}$"})
    );
    let server = Patterns.into_server();
    let result = call(&server, "find", json!({"isbn": "978"})).await;
    assert_eq!(result, text("978 None"));
    let found = faults(&server, "find", json!({"isbn": "9780", "other": "y"})).await;
    assert_eq!(
        found[1..],
        [
            "- `isbn`: does not match the pattern `^[0-9]{3}$`",
            "- `other`: does not match the pattern `x`",
        ]
    );
}

#[tokio::test]
async fn a_pattern_of_a_field_is_enforced() {
    let server = Patterns.into_server();
    let result = call(&server, "lend", json!({"book": {"isbn": "978"}})).await;
    assert_eq!(result, text("978"));
    assert_eq!(
        faults(&server, "lend", json!({"book": {"isbn": "97x"}})).await[1..],
        ["- `book.isbn`: does not match the pattern `^[0-9]{3}$`"]
    );
}
