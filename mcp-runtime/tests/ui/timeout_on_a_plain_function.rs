#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(timeout = "5s")]
    fn look(&self) {}
}

fn main() {}
