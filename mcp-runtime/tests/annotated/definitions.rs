//! The macros cause no compiler warnings for deprecated functions where they are defined, nor for
//! descriptions made by a macro. Descriptions contain no links to items.

#![deny(deprecated)]

use mcp_runtime::prelude::*;
use serde_json::json;

use crate::support::{Wire, stateless};
use crate::{call, listed, text};

struct Old;

#[mcp_server(groups(more))]
#[doc = include_str!("definitions.md")]
impl Old {
    /// Looks.
    #[tool]
    #[deprecated]
    fn look(&self, at: u32) -> u32 {
        at
    }

    /// Waits.
    #[tool]
    #[deprecated = "nobody waits"]
    async fn wait(&self) {}

    /// Asks.
    #[prompt]
    #[deprecated]
    fn ask(&self, #[arg(complete = Self::words)] word: String) -> String {
        word
    }

    /// Reads.
    #[resource("old://{name}", list = Self::all)]
    #[deprecated(note = "it is old")]
    fn read(&self, name: String) -> String {
        name
    }

    #[on_start]
    #[deprecated]
    async fn begin(&self) {}

    #[deprecated]
    fn words(_: &CompletionRequest) -> Vec<String> {
        Vec::new()
    }

    #[deprecated]
    async fn all(&self) -> Vec<Resource> {
        Vec::new()
    }
}

#[mcp_server(group = more)]
impl Old {
    /// Looks again.
    #[tool]
    #[deprecated]
    fn look_again(&self) {}

    /// Includes:
    #[doc = include_str!("definitions.md")]
    #[doc = concat!("And ", "ends.")]
    #[tool]
    fn included(&self, #[doc = include_str!("definitions.md")] line: String) -> String {
        line
    }
}

/// Looks alone.
#[tool]
#[deprecated]
fn alone(at: u32) -> u32 {
    at
}

#[mcp_server]
mod module {
    /// Looks within.
    #[tool]
    #[deprecated]
    fn within(at: u32) -> u32 {
        at
    }
}

#[tokio::test]
async fn what_is_deprecated_is_served() {
    let mut server = Old.into_builder();
    server.tool(alone).mount("", module::Server.into_server());
    let server = server.build();
    for tool in ["look", "alone", "within"] {
        assert_eq!(
            call(&server, tool, json!({"at": 5})).await["content"],
            text("5")["content"]
        );
    }
}

#[tokio::test]
async fn descriptions_are_included() {
    let tool = listed(Old, "included").await;
    assert_eq!(
        tool["description"],
        "Includes:\n# Definitions\n\nFrom a file.\n\nAnd ends."
    );
    let line = &tool["inputSchema"]["properties"]["line"];
    assert_eq!(line["description"], "# Definitions\n\nFrom a file.");
    let mut wire = Wire::to(&Old.into_server()).await;
    let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    assert_eq!(
        answer["result"]["instructions"],
        "# Definitions\n\nFrom a file."
    );
}

/// As a [`Store`], for [the shelf][shelf].
///
/// [shelf]: Store
#[derive(Deserialize, JsonSchema)]
struct Query {
    /// See [`Query`] and [docs](https://example.com).
    text: String,
}

struct Store;

/// Keeps what [`get`](Self::get) finds, in [0, 1].
#[mcp_server]
impl Store {
    /// Finds what a [`Query`] asks for, as [the store][Store] has it.
    ///
    /// [Store]: self::Store
    #[tool]
    fn get(
        &self,
        query: Query,
        /** As [`String::len`]. */
        length: usize,
    ) -> String {
        format!("{} {length}", query.text)
    }
}

#[tokio::test]
async fn links_to_items_are_sent_as_their_text() {
    let tool = listed(Store, "get").await;
    assert_eq!(
        tool["description"],
        "Finds what a `Query` asks for, as the store has it."
    );
    let arguments = &tool["inputSchema"]["properties"];
    assert_eq!(arguments["length"]["description"], "As `String::len`.");
    let query = &arguments["query"];
    assert_eq!(query["description"], "As a `Store`, for the shelf.");
    assert_eq!(
        query["properties"]["text"]["description"],
        "See `Query` and [docs](https://example.com)."
    );
    let mut wire = Wire::to(&Store.into_server()).await;
    let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    let instructions = "Keeps what `get` finds, in [0, 1].";
    assert_eq!(answer["result"]["instructions"], instructions);
}
