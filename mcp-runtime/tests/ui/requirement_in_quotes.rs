#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(requires("sampling"))]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
