#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}

    /// Counts the calls.
    #[tool]
    fn count(&self) -> u32 {
        let one = ;
        1
    }
}

fn main() {}
