#![allow(unused)]

// Without the feature, this is the `http` of the prelude.
use mcp_runtime::__private::http_without_feature as http;
use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

async fn serve() -> Result<(), ServeError> {
    Server.serve(http("127.0.0.1:3000").path("/mcp")).await
}

fn main() {}
