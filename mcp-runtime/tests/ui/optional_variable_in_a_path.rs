#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Describes a film.
    #[resource("film://{title}")]
    fn film(&self, title: Option<String>) -> String {
        String::new()
    }
}

fn main() {}
