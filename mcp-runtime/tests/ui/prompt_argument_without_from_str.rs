#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self, at: Place) -> String {
        String::new()
    }
}

fn main() {}
