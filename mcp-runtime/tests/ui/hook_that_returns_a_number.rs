#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[on_shutdown]
    async fn close(&self) -> u32 {
        0
    }
}

fn main() {}
