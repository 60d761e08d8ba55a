#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(scopes = "files:read")]
impl Server {
    /// Reads a file.
    #[tool]
    fn read(&self) {}
}

fn main() {}
