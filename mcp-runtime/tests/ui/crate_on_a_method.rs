#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(crate = mcp_runtime)]
    fn look(&self) {}
}

fn main() {}
