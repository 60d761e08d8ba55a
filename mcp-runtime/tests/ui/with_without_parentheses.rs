#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(with = Later)]
    fn look(&self) {}
}

fn main() {}
