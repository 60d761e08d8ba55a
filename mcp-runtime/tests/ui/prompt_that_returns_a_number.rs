#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    async fn look(&self) -> u32 {
        5
    }
}

fn main() {}
