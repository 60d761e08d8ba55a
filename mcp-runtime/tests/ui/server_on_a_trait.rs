#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Clone for Server {
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {}
