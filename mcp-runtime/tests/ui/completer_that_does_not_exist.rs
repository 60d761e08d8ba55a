#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[prompt]
    fn look(&self, #[arg(complete = Self::places)] at: String) -> String {
        at
    }
}

fn main() {}
