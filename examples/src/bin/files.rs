//! Offers the files of a directory as resources, in pages of ten.
//!
//! `cargo run --bin files -- some/directory`

use std::num::NonZeroUsize;

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use mcp_runtime::resources::FileTree;

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let tree = FileTree::new(root)?
        .description("The files of the directory that the server was started for.")
        .listed(10_000);

    let mut server = Server::builder();
    server.name("files").version(env!("CARGO_PKG_VERSION"));
    server.resource(tree);
    if let Some(size) = NonZeroUsize::new(10) {
        server.page_size(size);
    }
    server.build().serve(stdio()).await?;
    Ok(())
}
