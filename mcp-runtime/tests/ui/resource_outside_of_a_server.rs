#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

impl Server {
    #[resource("book://all")]
    fn all(&self) -> String {
        String::new()
    }
}

fn main() {}
