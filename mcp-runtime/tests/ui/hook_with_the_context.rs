#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[on_start]
    fn open(&self, cx: &Context) {}

    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
