#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Adds a number.
    #[tool]
    fn add(&self, #[arg(flatten)] a: i64) {}
}

fn main() {}
