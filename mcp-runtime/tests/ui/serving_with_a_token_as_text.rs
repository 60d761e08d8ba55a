#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

async fn serve() -> Result<(), ServeError> {
    Server.serve(http("127.0.0.1:3000").auth("secret")).await
}

fn main() {}
