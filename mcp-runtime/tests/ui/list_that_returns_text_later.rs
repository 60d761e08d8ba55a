#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Describes a place.
    #[resource("place://{name}", list = Self::places)]
    fn place(&self, name: String) -> String {
        name
    }

    async fn places(&self) -> Vec<String> {
        Vec::new()
    }
}

fn main() {}
