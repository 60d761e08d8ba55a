#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[on_start]
    fn open(&self, path: String) {}
}

fn main() {}
