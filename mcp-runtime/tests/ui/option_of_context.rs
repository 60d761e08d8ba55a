#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self, cx: Option<&Context>) {}
}

fn main() {}
