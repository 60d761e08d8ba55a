#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self) {}

    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        let one = ;
        1
    }
}

fn main() {}
