#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self, #[arg(range = 1..5)] times: u32) -> String {
        String::new()
    }
}

fn main() {}
