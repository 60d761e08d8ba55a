#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Returns the first word.
    #[tool]
    fn first<'a>(&'a self, cx: &'a Context) -> Option<&'a str> {
        None
    }
}

fn main() {}
