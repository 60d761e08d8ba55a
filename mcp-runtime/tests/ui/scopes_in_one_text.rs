#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(scopes = "files:read files:write")]
    fn look(&self) {}
}

fn main() {}
