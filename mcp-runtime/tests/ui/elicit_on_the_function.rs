#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Deletes a file.
    #[tool]
    #[elicit("Delete {name}?")]
    async fn delete(&self, name: String) {}
}

fn main() {}
