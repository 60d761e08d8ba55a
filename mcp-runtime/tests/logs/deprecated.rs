//! The log about deprecated parts of the protocol.

use mcp_runtime::prelude::*;
#[cfg(feature = "client")]
use mcp_runtime::proxy::Proxy;
use serde_json::json;
use tracing::Level;

#[cfg(feature = "client")]
use crate::support::client::upstream;
use crate::support::log::Log;
use crate::support::{Wire, call};

struct Editor;

#[mcp_server(undocumented = "allow")]
impl Editor {
    #[tool]
    async fn folders(&self, cx: &Context) -> Result<usize, AskError> {
        Ok(cx.roots().await?.len())
    }
}

#[tokio::test]
async fn a_deprecated_part_is_a_warning_once_in_the_process() {
    let (log, _guard) = Log::listening(Level::WARN);
    for _ in 0..2 {
        let mut session = Wire::to(&Editor.into_server()).await;
        session.handshake("2025-06-18").await;
        session.ask(call(1, "folders", json!({}))).await;
    }
    let log = log.all();
    assert_eq!(log.matches("roots are deprecated").count(), 1, "{log}");
    assert!(log.contains("2027-07-28"), "{log}");
}

#[cfg(feature = "client")]
#[tokio::test]
async fn a_proxy_does_not_warn_of_logs_that_its_program_has_not_mentioned() {
    let (log, _guard) = Log::listening(Level::WARN);
    let upstream = upstream(&Editor.into_server());
    let mut session = Wire::to(&Proxy::new(upstream).into_server()).await;
    session.handshake("2025-06-18").await;
    session.ask(call(1, "folders", json!({}))).await;
    let log = log.all();
    assert!(!log.contains("log"), "{log}");
}
