//! Absence of compiler warnings: for deprecated functions where they are defined, and for
//! descriptions made by a macro.

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
    server.tool(alone).mount("", &module::Server.into_server());
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
