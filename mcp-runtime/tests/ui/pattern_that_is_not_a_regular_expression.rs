#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(pattern = "[a-z")] at: String) {}
}

fn main() {}
