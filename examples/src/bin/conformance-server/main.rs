//! The server under test in the official conformance suite. `conformance-server ADDR [--layer] [--pages]`
//! serves the fixtures at `http://ADDR/mcp` in all revisions. `--layer` adds a layer that does
//! nothing. With `--pages`, each page of a list has one entry.

#![expect(
    deprecated,
    reason = "the suite tests deprecated parts of the protocol"
)]

mod asking;
mod content;
mod fixtures;
mod rounds;
mod schema;
mod skills;
mod tasks;

use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_extensions::tasks::Tasks;
use mcp_runtime::Server;
use mcp_runtime::layer::{McpRequest, Next, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::http;

use asking::Asking;
use fixtures::Fixtures;
use rounds::Rounds;
use tasks::Jobs;

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let has = |option: &str| std::env::args().any(|argument| argument == option);
    let address = std::env::args().nth(1);
    let address = address.unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let mut server = Server::builder();
    Arc::new(Fixtures).register(&mut server);
    Arc::new(Asking).register(&mut server);
    Arc::new(Rounds).register(&mut server);
    Arc::new(Jobs).register(&mut server);
    server.extension(Tasks::memory());
    server.extension(skills::skills()?);
    server.tool(schema::tool()).logging();
    if has("--pages") {
        server.page_size(NonZeroUsize::MIN);
    }
    if has("--layer") {
        server.layer(from_fn(|request: McpRequest, next: Next| next.run(request)));
    }
    server.build().serve(http(address).with_sse()).await?;
    Ok(())
}
