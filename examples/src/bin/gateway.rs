//! Several servers behind one: each program named on the command line is started, and offered
//! under the name of its file.
//!
//! `cargo run --bin gateway -- target/debug/calculator target/debug/dynamic`

use std::error::Error;
use std::path::Path;

use mcp_runtime::client::Reconnect;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::{Client, Server};

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut server = Server::builder();
    server.name("gateway").version(env!("CARGO_PKG_VERSION"));
    for program in std::env::args().skip(1) {
        let name = Path::new(&program).file_stem().unwrap_or_default();
        let prefix = name.to_string_lossy().into_owned();
        let proxy = behind(&program).await;
        let proxy = proxy.map_err(|error| format!("`{program}` can't be offered: {error}"))?;
        server.mount(&prefix, &proxy);
    }
    server.build().serve(stdio()).await?;
    Ok(())
}

/// Starts a program, and makes a server that stands for it.
async fn behind(program: &str) -> Result<Server, Box<dyn Error>> {
    // A program that dies is started again, however often.
    let without_end = Reconnect {
        tries: None,
        ..Reconnect::default()
    };
    let client = Client::builder("gateway", env!("CARGO_PKG_VERSION"))
        .reconnect(without_end)
        .connect(ChildProcess::new(program))
        .await?;
    Ok(Server::proxy(&client).await?)
}
