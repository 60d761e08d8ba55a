//! Logs about servers that are child processes.

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::{Client, Era};

use crate::support::log::Log;

#[tokio::test]
async fn a_line_that_is_no_message_is_a_warning_once() {
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
