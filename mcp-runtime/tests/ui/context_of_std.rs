#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self, cx: &std::task::Context) {}
}

fn main() {}
