#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(title = "Look", read_only, title = "See")]
    fn look(&self) {}
}

fn main() {}
