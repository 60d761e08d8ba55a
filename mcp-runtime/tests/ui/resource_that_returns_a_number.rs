#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://count")]
    fn count(&self) -> u32 {
        5
    }
}

fn main() {}
