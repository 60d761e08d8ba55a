#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(cache(ttl = "5m", scope = shared))]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
