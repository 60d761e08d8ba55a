#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(range(min = 1, max = 5))] times: u32) {}
}

fn main() {}
