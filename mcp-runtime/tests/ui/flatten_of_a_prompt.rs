#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Place {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self, #[arg(flatten)] at: Place) -> String {
        at.name
    }
}

fn main() {}
