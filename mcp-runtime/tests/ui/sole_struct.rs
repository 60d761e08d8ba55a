#![allow(unused)]
#![deny(deprecated)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Args {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, args: Args) {}
}

fn main() {}
