#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(scopes = "files:read files:write")]
    fn look(&self) {}
}

fn main() {}
