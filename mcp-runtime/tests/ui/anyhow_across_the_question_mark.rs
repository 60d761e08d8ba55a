#![allow(unused)]

use mcp_runtime::prelude::*;

fn find() -> anyhow::Result<String> {
    Ok(String::new())
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) -> Result<String, ToolError> {
        let found = find()?;
        Ok(found)
    }
}

fn main() {}
