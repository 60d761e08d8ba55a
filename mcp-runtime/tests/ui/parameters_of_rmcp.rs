#![allow(unused)]

use mcp_runtime::prelude::*;

struct Parameters<T>(T);

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, Parameters(at): Parameters<String>) {}
}

fn main() {}
