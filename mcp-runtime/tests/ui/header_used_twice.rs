#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(header = "At")] at: String, #[arg(header = "AT")] to: String) {}
}

fn main() {}
