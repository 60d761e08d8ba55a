#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) -> impl Future<Output = String> {
        std::future::ready(String::new())
    }
}

fn main() {}
