#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(undocumented = "forbid")]
impl Server {
    #[prompt]
    fn look(&self) -> String {
        String::new()
    }
}

fn main() {}
