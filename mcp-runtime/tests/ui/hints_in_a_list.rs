#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(annotations(read_only_hint = true))]
    fn look(&self) {}
}

fn main() {}
