//! Several servers behind one: each server that a file names, such as a project's `.mcp.json`, is
//! offered under its name there. Those that the file disables are left out.
//!
//! `cargo run --bin gateway -- .mcp.json`

use std::error::Error;

use mcp_config::{Entry, Servers};
use mcp_runtime::client::Reconnect;
use mcp_runtime::prelude::*;
use mcp_runtime::{Client, Server};

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut server = Server::builder();
    server.name("gateway").version(env!("CARGO_PKG_VERSION"));
    for file in std::env::args().skip(1) {
        let servers = Servers::read(file)?;
        if let Some(fault) = servers.faults().first() {
            return Err(fault.to_string().into());
        }
        for entry in servers.iter().filter(|entry| entry.is_enabled) {
            let proxy = behind(entry).await;
            let proxy =
                proxy.map_err(|error| format!("`{}` can't be offered: {error}", entry.name))?;
            server.mount(&entry.name, &proxy);
        }
    }
    server.build().serve(stdio()).await?;
    Ok(())
}

/// Connects to a server, and makes one that stands for it.
async fn behind(entry: &Entry) -> Result<Server, Box<dyn Error>> {
    // A program that dies is started again, however often.
    let without_end = Reconnect {
        tries: None,
        ..Reconnect::default()
    };
    let builder = Client::builder("gateway", env!("CARGO_PKG_VERSION")).reconnect(without_end);
    let client = entry.connect(builder).await?;
    Ok(Server::proxy(&client).await?)
}
