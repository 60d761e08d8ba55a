//! Logs in at a server that requires it, lists its tools, and calls one.
//!
//! `cargo run --bin login -- [OPTION…] URL [TOOL [JSON]]`
//!
//! - `--client-id ID`, `--client-secret SECRET`: the credentials of a manually registered client
//! - `--issuer URL`: the authorization server where it is registered
//! - `--client-metadata URL`: the client's metadata document
//! - `--scope SCOPES`: the scopes to request
//! - `--store FOLDER`: where tokens are kept; without it, each run needs a login
//!
//! Pages are opened by the program that the variable `BROWSER` names.

use std::collections::VecDeque;
use std::error::Error;
use std::process::ExitCode;

use mcp_auth::client::store::FileStore;
use mcp_auth::{Loopback, OAuth};
use mcp_runtime::Client;
use mcp_runtime::transport::http_client::http_client;
use serde_json::{Value, json};

const USAGE: &str = "usage: login [--client-id ID] [--client-secret SECRET] [--issuer URL] \
    [--client-metadata URL] [--scope SCOPES] [--store FOLDER] URL [TOOL [JSON]]";

#[mcp_runtime::main]
#[allow(clippy::print_stderr, reason = "this program is not a server")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = error.to_string();
            eprintln!("{}", text.replace(char::is_control, " "));
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout, reason = "this program is not a server")]
async fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments: VecDeque<String> = std::env::args().skip(1).collect();
    let oauth = options(&mut arguments)?;
    let url = arguments.pop_front().ok_or(USAGE)?;
    let tool = arguments.pop_front();
    let input = arguments.pop_front().map_or(Ok(json!({})), |json| {
        serde_json::from_str::<Value>(&json)
            .map_err(|error| format!("the JSON of the call: {error}"))
    })?;
    if !arguments.is_empty() {
        return Err(USAGE.into());
    }
    let client = Client::builder("login", env!("CARGO_PKG_VERSION"))
        .connect(http_client(url).auth(oauth))
        .await?;
    for tool in client.list_tools().await? {
        println!("{}", tool.name);
    }
    if let Some(tool) = tool {
        let result = client.call_tool(&tool, input).await?;
        let text = result.texts().collect::<Vec<_>>().join("\n");
        if result.has_failed() {
            return Err(format!("the tool `{tool}` failed: {text}").into());
        }
        println!("{text}");
    }
    client.close().await;
    Ok(())
}

/// Parses the options, and removes them from the arguments.
fn options(arguments: &mut VecDeque<String>) -> Result<OAuth, String> {
    let mut oauth = OAuth::new("login").redirect(Loopback::any_port());
    let is_option = |argument: &String| argument.starts_with("--");
    while arguments.front().is_some_and(is_option)
        && let Some(option) = arguments.pop_front()
    {
        let value = arguments.pop_front().ok_or(USAGE)?;
        oauth = match option.as_str() {
            "--client-id" => oauth.client(value),
            "--client-secret" => oauth.client_secret(value),
            "--issuer" => oauth.issuer(value),
            "--client-metadata" => oauth.client_metadata_url(value),
            "--scope" => oauth.scopes([value]),
            "--store" => oauth.store(FileStore::new(value)),
            _ => return Err(format!("unknown option `{option}`; {USAGE}")),
        };
    }
    Ok(oauth)
}
