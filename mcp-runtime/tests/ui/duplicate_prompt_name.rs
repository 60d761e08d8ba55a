#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self) -> String {
        String::new()
    }

    #[prompt(name = "look")]
    fn watch(&self) -> String {
        String::new()
    }
}

fn main() {}
