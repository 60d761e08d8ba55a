#![allow(unused)]

use mcp_runtime::prelude::*;

struct Place {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    async fn look(&self, at: Place, #[arg(default)] how: i64) {}
}

fn main() {}
