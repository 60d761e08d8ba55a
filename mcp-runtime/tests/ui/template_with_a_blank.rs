#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://my books")]
    fn books(&self) -> String {
        String::new()
    }
}

fn main() {}
