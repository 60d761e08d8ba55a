#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(tittle = "Server")]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
