#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Films.
    #[resource("film://{title}")]
    fn film(&self, title: Option<String>) -> String {
        String::new()
    }
}

fn main() {}
