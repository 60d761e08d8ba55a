#![allow(unused)]

use mcp_runtime::prelude::*;

struct Lost;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) -> Result<String, Lost> {
        Err(Lost)
    }
}

fn main() {}
