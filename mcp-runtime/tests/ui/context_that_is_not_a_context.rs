#![allow(unused)]

use mcp_runtime::prelude::*;

struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, place: &Place) {}
}

fn main() {}
