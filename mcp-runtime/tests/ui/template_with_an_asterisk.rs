#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("file:///{*path}")]
    fn file(&self, path: String) -> String {
        path
    }
}

fn main() {}
