//! Offers each operation of an OpenAPI document as a tool that calls the API, without macros.
//!
//! `cargo run -p mcp-example-openapi URL`. Without a URL, the example also serves the API.

mod bookshop;
mod tools;

use mcp_runtime::Server;
use mcp_runtime::transport::stdio;

const DOCUMENT: &str = include_str!("../openapi.json");

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = match std::env::args().nth(1) {
        Some(url) => url,
        None => bookshop::start().await?,
    };
    let mut server = Server::builder();
    server.name("bookshop");
    for tool in tools::from_document(DOCUMENT, &url)? {
        server.tool(tool);
    }
    server.build().serve(stdio()).await?;
    Ok(())
}
