#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(JsonSchema)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) -> Place {
        Place
    }
}

fn main() {}
