#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Serialize)]
struct Place;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    async fn look(&self) -> Result<Vec<Place>, ToolError> {
        Ok(vec![])
    }
}

fn main() {}
