#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

impl Server {
    #[on_start]
    fn open(&self) {}
}

fn main() {}
