#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    #[prompt]
    fn look(&self) -> String {
        String::new()
    }
}

fn main() {}
