#![allow(unused)]

use mcp_runtime::prelude::*;

const NAME: &str = "look";

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(name = NAME)]
    fn look(&self) {}
}

fn main() {}
