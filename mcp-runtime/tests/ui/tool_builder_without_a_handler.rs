#![allow(unused)]

use mcp_runtime::Server;
use mcp_runtime::server::tools::ToolBuilder;

fn main() {
    let mut server = Server::builder();
    server.tool(ToolBuilder::new("add"));
}
