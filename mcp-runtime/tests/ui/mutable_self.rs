#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server(u32);

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn count(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

fn main() {}
