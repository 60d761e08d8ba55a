//! Entries that only some callers see.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::support::{Wire, stateless};

/// A server that shows all entries to editors, and some of them to readers.
struct Shelf {
    editor: &'static str,
}

#[mcp_server(undocumented = "allow", groups(drafts))]
impl Shelf {
    #[tool]
    fn open(&self) -> &'static str {
        "open"
    }

    #[tool(visible = Self::edits)]
    fn write(&self) -> &'static str {
        "written"
    }

    #[prompt(visible = has_name)]
    fn hint(&self) -> &'static str {
        "hint"
    }

    #[resource("page://{name}", visible = Self::edits)]
    fn page(&self, name: String) -> String {
        name
    }

    fn edits(&self, cx: &Context) -> bool {
        cx.client_info().is_some_and(|it| it.name == self.editor)
    }
}

#[mcp_server(group = drafts, undocumented = "allow", visible = Self::edits)]
impl Shelf {
    #[tool]
    fn draft(&self) -> &'static str {
        "draft"
    }

    #[tool(visible = Self::nobody)]
    fn hidden() -> &'static str {
        "hidden"
    }

    fn nobody(_: &Context) -> bool {
        false
    }
}

fn has_name(cx: &Context) -> bool {
    cx.client_info().is_some_and(|it| !it.name.is_empty())
}

/// Something.
#[tool(visible = has_name)]
fn free() -> &'static str {
    "free"
}

fn shelf() -> Server {
    let mut server = Shelf { editor: "editor" }.into_builder();
    server.tool(free);
    server.build()
}

async fn ask(caller: &str, method: &str, params: Value) -> Value {
    let mut message = stateless(1, method, params);
    message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] =
        json!({"name": caller, "version": "1"});
    Wire::to(&shelf()).await.ask(message).await
}

async fn tools(caller: &str) -> Vec<String> {
    let answer = ask(caller, "tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn lists_have_what_the_caller_may_see() {
    assert_eq!(tools("editor").await, ["open", "write", "draft", "free"]);
    assert_eq!(tools("reader").await, ["open", "free"]);
    assert_eq!(tools("").await, ["open"]);
    for (caller, count) in [("reader", 1), ("", 0)] {
        let answer = ask(caller, "prompts/list", json!({})).await;
        assert_eq!(answer["result"]["prompts"].as_array().unwrap().len(), count);
    }
}

#[tokio::test]
async fn what_is_not_visible_cannot_be_called() {
    for (caller, name, exists) in [
        ("editor", "write", true),
        ("editor", "draft", true),
        ("editor", "hidden", false),
        ("reader", "draft", false),
        ("reader", "write", false),
        ("reader", "free", true),
        ("", "free", false),
    ] {
        let answer = ask(caller, "tools/call", json!({"name": name})).await;
        assert_eq!(answer["result"].is_object(), exists, "{caller} {name}");
    }
    for (caller, exists) in [("editor", true), ("reader", false)] {
        let answer = ask(caller, "resources/read", json!({"uri": "page://a"})).await;
        assert_eq!(answer["result"].is_object(), exists, "{caller}");
    }
}
