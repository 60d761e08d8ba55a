#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[tool("Adds numbers")]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

fn main() {}
