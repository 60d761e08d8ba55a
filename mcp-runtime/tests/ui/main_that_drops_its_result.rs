#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Server.serve(stdio()).await;
}
