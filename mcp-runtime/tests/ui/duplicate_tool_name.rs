#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self) {}

    /// Looks.
    #[tool(name = "look")]
    fn watch(&self) {}
}

fn main() {}
