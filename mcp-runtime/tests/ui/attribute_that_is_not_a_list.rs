#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(title = )]
    fn look(&self) {}
}

fn main() {}
