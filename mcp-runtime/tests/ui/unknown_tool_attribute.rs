#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(colour = "blue")]
    fn look(&self) {}
}

fn main() {}
