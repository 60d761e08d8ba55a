#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(cache = "5m")]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
