#![allow(unused)]

use mcp_runtime::prelude::*;
use mcp_runtime::types::Resource;

struct Server;

#[mcp_server]
impl Server {
    /// Describes a film.
    #[resource("film://{title}", list = Self::all)]
    fn film(&self, title: String) -> String {
        title
    }

    fn all(&self, cx: &Context) -> Vec<Resource> {
        Vec::new()
    }
}

fn main() {}
