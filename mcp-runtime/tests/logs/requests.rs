//! The log about requests.

use mcp_runtime::prelude::*;
use serde_json::json;
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, call, stateless};

/// Returns the log at `level` of one call in a session.
async fn logged(level: Level, tool: &str) -> String {
    let (log, _guard) = Log::listening(level);
    let mut wire = Wire::operating("2025-06-18").await;
    wire.ask(call(42, tool, json!({}))).await;
    log.text()
}

#[tokio::test]
async fn a_request_is_logged_with_what_it_was_and_how_it_ended() {
    for (tool, outcome) in [
        ("soon", "answered"),
        ("echo", "answered"),
        ("refuse", "failed"),
    ] {
        let log = logged(Level::DEBUG, tool).await;
        let line = log.lines().find(|line| line.contains("id=42")).unwrap();
        for part in [
            "method=\"tools/call\"",
            &format!("name=\"{tool}\""),
            "revision=\"2025-06-18\"",
            "client=\"wire\"",
            &format!("outcome=\"{outcome}\""),
            "elapsed_us=",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
    }
}

struct Shelf;

#[mcp_server(undocumented = "allow")]
impl Shelf {
    #[resource("shelf://top")]
    fn top(&self) -> &'static str {
        "Emma"
    }

    #[resource("shelf://books/{path}")]
    fn book(&self, path: String) -> String {
        path
    }
}

#[tokio::test]
async fn a_resource_is_named_by_its_uri() {
    let (log, _guard) = Log::listening(Level::DEBUG);
    let mut wire = Wire::to(&Shelf.into_server()).await;
    wire.ask(stateless(
        42,
        "resources/read",
        json!({"uri": "shelf://top"}),
    ))
    .await;
    let text = log.text();
    let line = text.lines().find(|line| line.contains("id=42")).unwrap();
    assert!(line.contains("name=\"shelf://top\""), "{line}");
}

#[tokio::test]
async fn a_template_that_a_slash_keeps_from_matching_is_named() {
    let (log, _guard) = Log::listening(Level::DEBUG);
    let mut wire = Wire::to(&Shelf.into_server()).await;
    for (id, uri) in [(1, "shelf://nowhere"), (2, "shelf://books/a/b.md")] {
        wire.ask(stateless(id, "resources/read", json!({"uri": uri})))
            .await;
    }
    let text = log.text();
    let hints = text.lines().filter(|line| line.contains("{+variable}"));
    let hints: Vec<_> = hints.collect();
    assert_eq!(hints.len(), 1, "{text}");
    assert!(
        hints[0].contains("template=\"shelf://books/{path}\""),
        "{text}"
    );
}

#[tokio::test]
async fn operation_is_quiet_and_a_panic_is_not() {
    let log = logged(Level::INFO, "soon").await;
    assert_eq!(log.lines().count(), 2, "{log}");
    for part in [
        "INFO",
        "the server has started",
        "a client has connected",
        "wire 1",
        "2025-06-18",
    ] {
        assert!(log.contains(part), "{part} in {log}");
    }
    let log = logged(Level::INFO, "panic_later").await;
    assert!(log.contains("ERROR") && log.contains("secret"), "{log}");
}

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

#[tokio::test]
async fn the_span_of_a_request_says_which_trace_it_belongs_to() {
    let (log, _guard) = Log::listening(Level::DEBUG);
    let mut wire = Wire::open().await;
    for (id, parent) in [(42, PARENT), (43, "rubbish")] {
        let mut message = stateless(id, "tools/call", json!({"name": "soon"}));
        message["params"]["_meta"]["traceparent"] = json!(parent);
        message["params"]["_meta"]["tracestate"] = json!("vendor=1");
        wire.ask(message).await;
    }
    let text = log.text();
    let line = |id: &str| text.lines().find(|line| line.contains(id)).unwrap();
    for part in [
        "trace_id=\"0af7651916cd43dd8448eb211c80319c\"",
        &format!("traceparent=\"{PARENT}\""),
        "tracestate=\"vendor=1\"",
        "otel.kind=\"server\"",
    ] {
        assert!(line("id=42").contains(part), "{part} in {text}");
    }
    assert!(!line("id=43").contains("traceparent"), "{text}");
}
