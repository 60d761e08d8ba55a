#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(groups("admin"))]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self) {}
}

fn main() {}
