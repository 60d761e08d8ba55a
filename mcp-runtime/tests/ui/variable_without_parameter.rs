#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://{isbn}/{page}")]
    fn book(&self, isbn: String) -> String {
        isbn
    }
}

fn main() {}
