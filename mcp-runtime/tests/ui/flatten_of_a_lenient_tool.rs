#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Place {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(lenient)]
    fn look(&self, #[arg(flatten)] at: Place) {}
}

fn main() {}
