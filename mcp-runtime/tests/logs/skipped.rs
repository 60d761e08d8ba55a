//! Log of arguments that no parameter takes.

use mcp_runtime::prelude::*;
use serde_json::{Value, json};
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, stateless};

struct Files;

#[mcp_server(undocumented = "allow")]
impl Files {
    #[tool]
    fn delete(&self, only: Option<String>) -> String {
        only.unwrap_or_else(|| "everything".to_owned())
    }

    #[tool(strict)]
    fn strictly(&self, only: Option<String>) -> String {
        only.unwrap_or_else(|| "everything".to_owned())
    }
}

async fn call(wire: &mut Wire, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = wire.ask(stateless(1, "tools/call", params)).await;
    answer["result"].clone()
}

#[tokio::test]
async fn an_argument_that_is_skipped_is_logged_once_and_named_in_the_answer() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut wire = Wire::to(&Files.into_server()).await;
    call(&mut wire, "delete", json!({"only": "a"})).await;
    call(&mut wire, "strictly", json!({"onyl": "a"})).await;
    assert_eq!(log.text(), "");
    for _ in 0..2 {
        let result = call(&mut wire, "delete", json!({"onyl": "a", "x\ny": 1})).await;
        assert_eq!(result["content"][0]["text"], "everything");
        let named = &result["_meta"]["mcp-runtime/skippedArguments"];
        let expected = match cfg!(debug_assertions) {
            true => json!(["onyl", "x\ny"]),
            false => Value::Null,
        };
        assert_eq!(*named, expected);
    }
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in ["tool=\"delete\"", "onyl", "[\"only\"]", "`strict`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
