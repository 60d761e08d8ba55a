#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Serialize, JsonSchema)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) -> (Place, Image) {
        (Place, Image::png([]))
    }
}

fn main() {}
