#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self, #[arg(complete = ["here", "there"])] at: String) -> String {
        at
    }
}

fn main() {}
