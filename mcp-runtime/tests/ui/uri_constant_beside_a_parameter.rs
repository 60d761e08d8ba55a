#![allow(unused)]

use mcp_runtime::prelude::*;

const PLACE: &str = "place://here";

struct Server;

#[mcp_server]
impl Server {
    #[resource(PLACE)]
    fn place(&self, name: String) -> String {
        name
    }
}

fn main() {}
