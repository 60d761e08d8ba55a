#![deny(deprecated)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[tool]
    fn look(&self) {}
}

fn main() {}
