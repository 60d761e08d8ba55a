#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[resource("book://all", list = Self::books)]
    fn all(&self) -> String {
        String::new()
    }

    fn books(&self) -> Vec<Resource> {
        vec![]
    }
}

fn main() {}
