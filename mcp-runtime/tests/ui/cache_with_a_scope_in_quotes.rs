#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(cache(ttl = "5m", scope = "public"))]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
