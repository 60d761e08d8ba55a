//! The log about functions that hold their thread for long.

use std::thread;
use std::time::Duration;

use mcp_runtime::prelude::*;
use serde_json::json;
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, stateless};

struct Slow;

fn work() {
    thread::sleep(Duration::from_millis(60));
}

#[mcp_server(undocumented = "allow")]
impl Slow {
    #[tool]
    fn held(&self) {
        work();
    }

    #[tool]
    async fn polled(&self) {
        tokio::task::yield_now().await;
        work();
        tokio::task::yield_now().await;
    }

    #[tool]
    async fn waiting(&self) {
        tokio::time::sleep(Duration::from_millis(60)).await;
    }

    #[tool(blocking)]
    fn away(&self) {
        work();
    }

    #[prompt]
    fn letter(&self, #[arg(complete = Self::titles)] title: String) -> String {
        work();
        title
    }

    #[resource("book://{isbn}", list = Self::books)]
    fn book(&self, isbn: String) -> String {
        work();
        isbn
    }

    fn books() -> Vec<Resource> {
        work();
        Vec::new()
    }

    fn titles(_: &CompletionRequest) -> Vec<String> {
        work();
        Vec::new()
    }
}

#[tokio::test]
async fn a_function_that_holds_its_thread_is_a_warning_once() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut wire = Wire::to(&Slow.into_server()).await;
    let completion = json!({
        "ref": {"type": "ref/prompt", "name": "letter"},
        "argument": {"name": "title", "value": ""},
    });
    for (method, params) in [
        ("tools/call", json!({"name": "held"})),
        ("tools/call", json!({"name": "held"})),
        ("tools/call", json!({"name": "away"})),
        ("tools/call", json!({"name": "polled"})),
        ("tools/call", json!({"name": "polled"})),
        ("tools/call", json!({"name": "waiting"})),
        (
            "prompts/get",
            json!({"name": "letter", "arguments": {"title": "Emma"}}),
        ),
        ("resources/read", json!({"uri": "book://978"})),
        ("resources/list", json!({})),
        ("resources/list", json!({})),
        ("completion/complete", completion),
    ] {
        let answer = wire.ask(stateless(1, method, params)).await;
        assert!(answer["error"].is_null(), "{answer}");
    }
    let log = log.all();
    if !cfg!(debug_assertions) {
        assert_eq!(log, "");
        return;
    }
    let functions = [
        "held",
        "polled",
        "letter",
        "book",
        "list of book",
        "completer of title",
    ];
    assert_eq!(log.lines().count(), functions.len(), "{log}");
    for (line, function) in log.lines().zip(functions) {
        assert!(line.contains(&format!("function=\"{function}\"")), "{line}");
        assert!(line.contains("mark it `blocking`"), "{line}");
    }
}
