#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    #[arg(default = 1)]
    fn look(&self, at: u32) {}
}

fn main() {}
