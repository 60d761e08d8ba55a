#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(range = 1..=5)] at: String) {}
}

fn main() {}
