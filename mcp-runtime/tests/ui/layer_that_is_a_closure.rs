#![allow(unused)]

use mcp_runtime::Server;
use mcp_runtime::layer::{McpRequest, Next};

fn serve() {
    let mut server = Server::builder();
    server.layer(async |request: McpRequest, next: Next| next.run(request).await);
}

fn main() {}
