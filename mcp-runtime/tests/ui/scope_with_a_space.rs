#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Writes a file.
    #[tool(scopes("files:read files:write"))]
    fn write(&self) {}
}

fn main() {}
