#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(output = "Place")]
    fn look(&self) -> CallToolResult {
        CallToolResult::new([])
    }
}

fn main() {}
