//! An extension of the protocol, `com.example/tickets`: its server and its client.
//!
//! `extension` serves over standard streams, and `extension 127.0.0.1:8080` over HTTP.
//! `extension call` starts a server as a child process, and
//! `extension call http://127.0.0.1:8080/mcp` connects to one. Both call a tool, receive a ticket,
//! and print the result once the ticket has one.

mod client;
mod server;

use std::env::args;
use std::io::{Write as _, stdout};

use mcp_runtime::Client;
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::json;
use mcp_runtime::transport::{ChildProcess, http_client};

use self::client::Following;
use self::server::workshop;

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = args().skip(1).collect();
    let mut server = workshop();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => server.serve(stdio()).await?,
        ["call", ..] => writeln!(stdout(), "{}", call(arguments.get(1)).await?)?,
        [address, ..] => server.serve(http(address)).await?,
    }
    Ok(())
}

/// Calls the tool of the server at `url`, or of a new child process.
async fn call(url: Option<&String>) -> Result<String, Box<dyn std::error::Error>> {
    let client = Client::builder("example", "1.0.0")
        .extension(Following)
        .on_form(|form| async move { form.accept(json!({"answer": "red"})) });
    let client = match url {
        Some(url) => client.connect(http_client(url)).await?,
        None => {
            client
                .connect(ChildProcess::new(std::env::current_exe()?))
                .await?
        }
    };
    let repaired = client.call("repair", json!({"days": 2})).await?;
    client.close().await;
    Ok(repaired)
}
