#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(JsonSchema)]
struct Place {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, at: Place) {}
}

fn main() {}
