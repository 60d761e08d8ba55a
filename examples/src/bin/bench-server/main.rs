//! The server under measurement: `bench-server [--tools N] [--layers N] [--http ADDR]`.
//!
//! `--tools N` adds N tools with realistic schemas to the three tools that are called, and
//! `--layers N` adds N layers that do nothing. The server uses standard input and output, or serves
//! `/mcp` at the address.

mod extra;
mod options;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::Server;
use mcp_runtime::layer::{McpRequest, Next, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::http;

use options::Options;

struct Bench;

#[mcp_server(name = "bench-server")]
impl Bench {
    /// Adds two whole numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> String {
        (a + b).to_string()
    }

    /// Says the text again.
    #[tool]
    fn echo(&self, text: String) -> String {
        text
    }

    /// Answers after the given number of milliseconds.
    #[tool]
    async fn wait(&self, ms: u64) -> String {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ms.to_string()
    }
}

fn server(options: &Options) -> Server {
    let mut server = Server::builder();
    Arc::new(Bench).register(&mut server);
    for number in 0..options.tools {
        server.tool(extra::tool(number));
    }
    for _ in 0..options.layers {
        server.layer(from_fn(|request: McpRequest, next: Next| next.run(request)));
    }
    server.build()
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::of(std::env::args().skip(1))?;
    let server = server(&options);
    match options.http {
        Some(address) => server.serve(http(address)).await?,
        None => server.serve(stdio()).await?,
    }
    Ok(())
}
