#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

#[mcp_server]
impl Server {
    /// Sweeps the floor.
    #[tool]
    fn sweep(&self) {}
}

fn main() {}
