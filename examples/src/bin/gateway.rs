//! A gateway that offers several servers as one. It reads the servers from a file such as a
//! project's `.mcp.json`, and skips disabled ones. The prefix of each server is its name in the
//! file without the characters that a prefix can't contain: the tools of `git (local)` begin with
//! `git-local_`.
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
    let mut prefixes = Vec::new();
    for file in std::env::args().skip(1) {
        let servers = Servers::read(file)?;
        if let Some(fault) = servers.faults().first() {
            return Err(fault.to_string().into());
        }
        for entry in servers.iter().filter(|entry| entry.is_enabled) {
            let proxy = behind(entry).await;
            let proxy =
                proxy.map_err(|error| format!("`{}` can't be offered: {error}", entry.name))?;
            let prefix = prefix(&entry.name, &prefixes);
            server.mount(&prefix, &proxy);
            prefixes.push(prefix);
        }
    }
    server.build().serve(stdio()).await?;
    Ok(())
}

/// Makes a prefix that is not in `used`: a letter, followed by letters, digits, `-` and `.`.
fn prefix(name: &str, used: &[String]) -> String {
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || it == '.';
    let words = name.split(|it| !is_allowed(it)).filter(|it| !it.is_empty());
    let mut prefix = words.collect::<Vec<_>>().join("-");
    if !prefix.starts_with(|it: char| it.is_ascii_alphabetic()) {
        prefix = format!("server-{prefix}");
    }
    let numbered = (2..).map(|number| format!("{prefix}-{number}"));
    let mut candidates = std::iter::once(prefix.clone()).chain(numbered);
    // URI prefixes are case-insensitive.
    let is_free = |it: &String| !used.iter().any(|used| used.eq_ignore_ascii_case(it));
    candidates.find(is_free).unwrap_or(prefix)
}

async fn behind(entry: &Entry) -> Result<Server, Box<dyn Error>> {
    // Restart a program that dies, without a limit.
    let without_end = Reconnect {
        tries: None,
        ..Reconnect::default()
    };
    let builder = Client::builder("gateway", env!("CARGO_PKG_VERSION")).reconnect(without_end);
    let client = entry.connect(builder).await?;
    Ok(Server::proxy(&client).await?)
}
