#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Greets the user.
    #[tool(scopes(read))]
    fn greet(&self, name: String) -> String {
        name
    }
}

fn main() {}
