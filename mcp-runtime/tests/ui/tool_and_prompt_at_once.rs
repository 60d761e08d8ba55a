#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    #[prompt]
    fn look(&self) -> String {
        String::new()
    }
}

fn main() {}
