#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Deserialize)]
struct Place {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, at: Vec<Place>) {}
}

fn main() {}
