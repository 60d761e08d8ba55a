#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}

    /// Looks around.
    #[tool(name = "look")]
    fn watch(&self) {}
}

fn main() {}
