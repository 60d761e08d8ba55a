#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(timeout = "30")]
    async fn look(&self) {}
}

fn main() {}
