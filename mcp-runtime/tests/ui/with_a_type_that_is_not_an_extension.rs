#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(with("250ms"))]
    fn look(&self) {}
}

fn main() {}
