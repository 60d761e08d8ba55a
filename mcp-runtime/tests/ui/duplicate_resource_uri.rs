#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://all")]
    fn books(&self) -> String {
        String::new()
    }

    #[resource("book://all")]
    fn others(&self) -> String {
        String::new()
    }
}

fn main() {}
