//! Results that do not have the form their tool promises.

use mcp_runtime::Server;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::types::{CallToolResult, Tool};
use serde_json::{Value, json};

use crate::support::{Wire, stateless, text};

fn promising(name: &str) -> Tool {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]});
    Tool::new(name, json!({"type": "object"})).with_output_schema(schema)
}

fn structured(value: Value) -> CallToolResult {
    text(value.to_string()).with_structured_content(value)
}

#[tokio::test]
async fn a_result_that_breaks_the_promise_is_an_error_of_the_server() {
    let mut server = Server::builder();
    server.tool(ToolEntry::new(promising("kept"), |_| {
        Reply::Ready(Ok(structured(json!({"n": 1}))))
    }));
    server.tool(ToolEntry::new(promising("broken"), |_| {
        Reply::Ready(Ok(structured(json!({"n": "one"}))))
    }));
    server.tool(ToolEntry::new(promising("late"), |_| {
        Reply::Pending(Box::pin(async {
            Ok(text("no structure at all".to_owned()))
        }))
    }));
    server.tool(ToolEntry::new(promising("failed"), |_| {
        Reply::Ready(Ok(CallToolResult::error("it went wrong")))
    }));
    let mut wire = Wire::to(&server.build()).await;
    for name in ["kept", "failed"] {
        let answer = wire
            .ask(stateless(1, "tools/call", json!({"name": name})))
            .await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    for name in ["broken", "late"] {
        let answer = wire
            .ask(stateless(1, "tools/call", json!({"name": name})))
            .await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("output schema"), "{message}");
    }
}
