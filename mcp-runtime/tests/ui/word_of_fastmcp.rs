#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(ge = 1, le = 9)] times: u32) {}
}

fn main() {}
