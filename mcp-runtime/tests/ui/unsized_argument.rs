#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Greets the user.
    #[tool]
    fn greet(&self, name: str) -> String {
        String::new()
    }
}

fn main() {}
