//! The log about arguments that match no parameter.

use std::collections::BTreeMap;

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

    #[tool]
    fn flattened(&self, #[arg(flatten)] wanted: Wanted) -> String {
        wanted.only.unwrap_or_else(|| "everything".to_owned())
    }

    #[tool]
    fn open(&self, #[arg(flatten)] wanted: Open) -> usize {
        wanted.others.len()
    }
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    only: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Open {
    #[serde(flatten)]
    others: BTreeMap<String, String>,
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
        let expected = if cfg!(debug_assertions) {
            json!(["onyl", "x\ny"])
        } else {
            Value::Null
        };
        assert_eq!(*named, expected);
    }
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in [
        "tool=\"delete\"",
        "onyl",
        "nearest=\"only\"",
        "[\"only\"]",
        "`strict`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn a_field_that_a_struct_does_not_have_is_logged_as_well() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut wire = Wire::to(&Files.into_server()).await;
    call(&mut wire, "flattened", json!({"only": "a"})).await;
    call(&mut wire, "open", json!({"onyl": "a"})).await;
    assert_eq!(log.text(), "");
    let result = call(&mut wire, "flattened", json!({"onyl": "a"})).await;
    assert_eq!(result["content"][0]["text"], "everything");
    let text = log.text();
    for part in [
        "tool=\"flattened\"",
        "argument=\"onyl\"",
        "nearest=\"only\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn an_argument_that_is_like_no_other_has_no_nearest_one() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut wire = Wire::to(&Files.into_server()).await;
    call(&mut wire, "delete", json!({"recursively": true})).await;
    let text = log.text();
    assert!(text.contains("argument=\"recursively\""), "{text}");
    assert!(!text.contains("nearest"), "{text}");
}
