#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Server.serve("127.0.0.1:8080").await
}
