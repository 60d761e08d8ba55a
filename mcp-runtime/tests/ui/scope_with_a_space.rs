#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Writes.
    #[tool(scopes("files:read files:write"))]
    fn write(&self) {}
}

fn main() {}
