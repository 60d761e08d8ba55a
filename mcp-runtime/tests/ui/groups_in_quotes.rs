#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(groups("admin"))]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
