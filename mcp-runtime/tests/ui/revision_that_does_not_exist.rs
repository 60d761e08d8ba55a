#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(revisions = "2025-06-19..")]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
