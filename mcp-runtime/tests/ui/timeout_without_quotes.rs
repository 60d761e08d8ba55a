#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(timeout = 30)]
    async fn look(&self) {}
}

fn main() {}
