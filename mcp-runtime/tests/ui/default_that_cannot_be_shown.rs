#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Default, Deserialize, JsonSchema)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(default)] at: Place) {}
}

fn main() {}
