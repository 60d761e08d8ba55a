//! The log about mounted servers.

use mcp_runtime::Server;
use mcp_runtime::server::Reply;
use tracing::Level;

use crate::support::log::Log;
use crate::support::{text, tool};

#[tokio::test]
async fn a_name_that_is_taken_is_warned_of() {
    let (log, _guard) = Log::listening(Level::WARN);
    let answering = |name| tool(name, |_| Reply::Ready(Ok(text(String::new()))));
    let mut inner = Server::builder();
    inner.tool(answering("own")).tool(answering("more"));
    let mut outer = Server::builder();
    outer.tool(answering("own")).mount("", inner.build());
    let _server = outer.build();
    let warnings = log.text();
    assert!(warnings.contains("name=\"own\""), "{warnings}");
    assert!(!warnings.contains("name=\"more\""), "{warnings}");
}
