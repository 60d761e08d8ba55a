#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(crate = mcp_runtime)]
    fn look(&self) {}
}

fn main() {}
