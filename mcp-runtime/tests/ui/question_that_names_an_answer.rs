#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Deletes a file.
    #[tool]
    async fn delete(
        &self,
        #[elicit("How many?")] n: u32,
        #[elicit("Delete {n}?")] sure: bool,
    ) {}
}

fn main() {}
