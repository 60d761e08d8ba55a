#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(undocumented = "deny")]
impl Server {
    #[tool(description = "")]
    fn roll(&self) -> i64 {
        4
    }
}

fn main() {}
