#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource(mime = "text/plain")]
    fn book(&self) -> String {
        String::new()
    }
}

fn main() {}
