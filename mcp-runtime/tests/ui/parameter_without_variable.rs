#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://{isbn}")]
    fn book(&self, isbn: String, page: u32) -> String {
        isbn
    }
}

fn main() {}
