#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(visible = "allowed")]
    fn look(&self) {}

    fn allowed(&self, cx: &Context) -> bool {
        true
    }
}

fn main() {}
