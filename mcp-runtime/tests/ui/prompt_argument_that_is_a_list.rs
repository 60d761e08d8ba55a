#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Compares books.
    #[prompt]
    fn compare(&self, titles: Vec<String>) -> String {
        titles.join(" and ")
    }
}

fn main() {}
