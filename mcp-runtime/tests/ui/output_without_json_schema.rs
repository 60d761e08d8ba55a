#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Serialize)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(output = Vec<Place>)]
    fn look(&self) -> CallToolResult {
        CallToolResult::new([])
    }
}

fn main() {}
