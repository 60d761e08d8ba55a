#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(name = "look at")]
    fn look(&self) {}
}

fn main() {}
