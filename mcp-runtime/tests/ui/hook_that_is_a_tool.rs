#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[on_start]
    #[tool]
    fn open(&self) {}
}

fn main() {}
