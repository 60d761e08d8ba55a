#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Place {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(strict)]
    fn look(&self, #[args] at: Place) {}
}

fn main() {}
