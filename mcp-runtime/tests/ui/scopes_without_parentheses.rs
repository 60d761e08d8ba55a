#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(scopes = "files:read")]
impl Server {
    /// Reads.
    #[tool]
    fn read(&self) {}
}

fn main() {}
