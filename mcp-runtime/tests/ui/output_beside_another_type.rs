#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(output = u32)]
    fn look(&self) -> Result<String, ToolError> {
        Ok(String::new())
    }
}

fn main() {}
