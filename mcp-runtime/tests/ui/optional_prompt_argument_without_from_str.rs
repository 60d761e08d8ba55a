#![allow(unused)]

use mcp_runtime::prelude::*;

struct Place;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self, at: Option<Place>) -> String {
        String::new()
    }
}

fn main() {}
