//! The log about settings that have no effect.

use mcp_runtime::Server;
use mcp_runtime::server::tools::ToolBuilder;
use tracing::Level;

use crate::support::log::Log;

#[test]
fn a_name_that_clients_may_refuse_is_logged() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut server = Server::builder();
    server.tool(ToolBuilder::new("look_up").call(|(), _| 1));
    assert_eq!(log.text(), "");
    server.tool(ToolBuilder::new("look up").call(|(), _| 1));
    assert!(log.text().contains("name=\"look up\""), "{}", log.text());
}
