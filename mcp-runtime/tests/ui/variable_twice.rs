#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://{id}/{id}")]
    fn book(&self, id: String) -> String {
        id
    }
}

fn main() {}
