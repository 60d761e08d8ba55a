#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self) {}
}

#[mcp_server]
impl Server {
    /// Sweeps.
    #[tool]
    fn sweep(&self) {}
}

fn main() {}
