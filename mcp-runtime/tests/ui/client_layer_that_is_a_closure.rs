#![allow(unused)]

use mcp_runtime::Client;
use mcp_runtime::layer::{McpRequest, Next};

fn connect() {
    let client = Client::builder("app", "1")
        .layer(async |request: McpRequest, next: Next| next.run(request).await);
}

fn main() {}
