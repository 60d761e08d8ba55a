#![allow(unused)]

use mcp_runtime::prelude::*;

const PLACE: &str = "here";

struct Server;

#[mcp_server]
impl Server {
    #[resource(PLACE)]
    fn place(&self) -> String {
        String::new()
    }
}

fn main() {}
