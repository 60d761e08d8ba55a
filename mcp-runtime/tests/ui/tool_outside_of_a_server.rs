#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
