#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(blocking)]
    async fn look(&self) {}
}

fn main() {}
