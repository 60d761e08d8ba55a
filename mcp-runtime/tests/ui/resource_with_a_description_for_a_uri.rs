#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("All books")]
    fn books(&self) -> String {
        String::new()
    }
}

fn main() {}
