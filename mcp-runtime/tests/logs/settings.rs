//! Log of settings that have no effect.

use mcp_runtime::Server;
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::transport::http::HttpOptions;
use tracing::Level;

use crate::support::log::Log;

#[test]
fn hosts_and_origins_that_nobody_has_are_logged() {
    let (log, _guard) = Log::listening(Level::WARN);
    let options = HttpOptions::new().allowed_hosts(["mcp.example.com"]);
    let options = options.allowed_origins(["https://app.example.com", "null"]);
    assert_eq!(log.text(), "");
    let options = options.allowed_hosts(["https://mcp.example.com"]);
    drop(options.allowed_origins(["app.example.com", "https://app.example.com/"]));
    let text = log.text();
    for part in [
        "host=\"https://mcp.example.com\"",
        "origin=\"app.example.com\"",
        "origin=\"https://app.example.com/\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_name_that_clients_may_refuse_is_logged() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut server = Server::builder();
    server.tool(ToolBuilder::new("look_up").call(|(), _| 1));
    assert_eq!(log.text(), "");
    server.tool(ToolBuilder::new("look up").call(|(), _| 1));
    assert!(log.text().contains("name=\"look up\""), "{}", log.text());
}
