//! The log about messages of handlers that are not sent.

use mcp_runtime::prelude::*;
use serde_json::json;
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, call, request, stateless};

struct Shrinking;

#[mcp_server]
impl Shrinking {
    /// Reports less and less.
    #[tool]
    fn work(&self, cx: &Context) {
        for done in [2.0, 2.0, 1.0, f64::NAN] {
            cx.progress(done, 2, "working");
        }
    }

    /// Reports each step twice.
    #[tool]
    fn grow(&self, cx: &Context) {
        for done in [1, 1, 2, 2] {
            cx.progress(done, 2, "working");
        }
    }
}

struct Silent;

#[mcp_server]
impl Silent {
    /// Logs to the client, and reports progress.
    #[tool]
    fn work(&self, cx: &Context) {
        cx.logger("stock").info("working");
        cx.progress(1, 2, "working");
    }
}

#[mcp_server(logging)]
impl Telling {
    /// Logs at a level that few clients request.
    #[tool]
    fn work(&self, cx: &Context) {
        cx.logger("stock").debug("working");
    }
}

struct Telling;

/// Calls the tool twice in each era, and returns the log at `level`.
async fn logged(level: Level, server: impl McpServer) -> String {
    let (log, _guard) = Log::listening(level);
    let server = server.into_server();
    let mut session = Wire::to(&server).await;
    session.handshake("2025-06-18").await;
    let mut alone = Wire::to(&server).await;
    for id in 1..3 {
        session.ask(call(id, "work", json!({}))).await;
        let params = json!({"name": "work"});
        alone.ask(stateless(id, "tools/call", params)).await;
    }
    log.text()
}

#[tokio::test]
async fn log_messages_of_a_server_without_logging_are_a_warning_once() {
    let log = logged(Level::WARN, Silent).await;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("`#[mcp_server(logging)]`"), "{log}");
    assert_eq!(logged(Level::WARN, Telling).await, "");
}

#[tokio::test]
async fn progress_that_decreases_is_not_sent_and_is_a_warning_once() {
    let server = Shrinking.into_server();
    for tool in ["grow", "work"] {
        let (log, _guard) = Log::listening(Level::WARN);
        let mut session = Wire::to(&server).await;
        session.handshake("2025-11-25").await;
        let mut alone = Wire::to(&server).await;
        for _ in 1..3 {
            let params = json!({"name": tool, "_meta": {}});
            let calls = [request, stateless].map(|make| make(1, "tools/call", params.clone()));
            for (wire, mut call) in [&mut session, &mut alone].into_iter().zip(calls) {
                call["params"]["_meta"]["progressToken"] = json!("t");
                wire.send(call).await;
                let amounts = match tool {
                    "grow" => vec![1, 2],
                    _ => vec![2],
                };
                for amount in amounts {
                    assert_eq!(wire.answer().await["params"]["progress"], amount);
                }
                assert_eq!(wire.answer().await["id"], 1);
            }
        }
        let lines = log.text().lines().count();
        assert_eq!(lines, usize::from(tool == "work"), "{}", log.text());
        let names_amount = log.text().contains("progress=1.0");
        assert_eq!(names_amount, tool == "work", "{}", log.text());
    }
}

#[tokio::test]
async fn progress_that_nobody_asked_for_is_noted_once() {
    let log = logged(Level::DEBUG, Silent).await;
    let noted: Vec<_> = log
        .lines()
        .filter(|line| line.contains("progressToken"))
        .collect();
    assert!(
        matches!(noted[..], [line] if line.contains("DEBUG")),
        "{log}"
    );
}
