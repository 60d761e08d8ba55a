#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Describes a place.
    #[resource("place://{name}")]
    fn place(&self, #[arg(description = "Its name.")] name: String) -> String {
        name
    }
}

fn main() {}
