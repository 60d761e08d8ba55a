//! The log about servers that are child processes.

use std::time::Duration;

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::{Client, Era};

use crate::support::clock::{Clock, until};
use crate::support::log::Log;

#[tokio::test]
async fn a_line_that_is_not_a_message_is_a_warning_once() {
    let (log, _guard) = Log::listening(tracing::Level::WARN);
    let script = format!(
        r#"echo 'Listening on {}'; echo 'and again'
        read -r line
        printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-11-25","capabilities":{{}},"serverInfo":{{"name":"x","version":"1"}}}}}}'
        while read -r line; do :; done"#,
        "x".repeat(1000)
    );
    let server = ChildProcess::new("sh").arg("-c").arg(script);
    let client = Client::builder("test", "1").era(Era::Handshake);
    client.connect(server).await.unwrap().close().await;
    let text = log.text();
    let shown = format!("Listening on {}", "x".repeat(187));
    assert!(text.contains(&shown), "{text}");
    assert!(!text.contains(&format!("{shown}x")), "{text}");
    assert!(!text.contains("and again"), "{text}");
}

#[tokio::test]
async fn a_child_that_does_not_answer_is_named() {
    let (log, _guard) = Log::listening(tracing::Level::WARN);
    let script = "echo 'Listening on 8080'; while read -r line; do :; done";
    let server = ChildProcess::new("sh").args(["-c", script]);
    let clock = Clock::stopped();
    let client = Client::builder("test", "1").era(Era::Handshake);
    let connecting = tokio::spawn(client.connect(server));
    until("its output is logged", || log.text().contains("Listening")).await;
    assert!(log.text().contains(r#"program="sh""#), "{}", log.text());

    let second = Duration::from_secs(1);
    let late = "does not answer yet";
    clock.pass(4 * second).await;
    assert!(!log.text().contains(late), "{}", log.text());
    clock.pass(second + Duration::from_millis(1)).await;
    let text = log.text();
    let line = text.lines().find(|line| line.contains(late)).unwrap();
    for part in ["WARN", r#"program="sh""#, "waited=5s"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let refused = clock.run_until(second, connecting).await.unwrap();
    let text = refused.unwrap_err().to_string();
    let waited = "no answer from `sh` to `initialize` within 60";
    assert!(text.starts_with(waited), "{text}");
    let output = "; the first line that it sent is not an MCP message: Listening on 8080";
    assert!(text.ends_with(output), "{text}");
    assert_eq!(log.text().matches(late).count(), 1);
}
