#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(visible = Self::level)]
    fn look(&self) -> String {
        String::new()
    }

    fn level(&self, cx: &Context) -> u32 {
        5
    }
}

fn main() {}
