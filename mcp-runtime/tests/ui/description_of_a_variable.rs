#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// A place.
    #[resource("place://{name}")]
    fn place(&self, #[arg(description = "Its name.")] name: String) -> String {
        name
    }
}

fn main() {}
