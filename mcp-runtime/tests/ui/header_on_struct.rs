#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, #[arg(header = "At")] at: Place) {}
}

fn main() {}
