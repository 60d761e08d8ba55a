//! A host that shows the pages of tools (`io.modelcontextprotocol/ui`) in a browser.
//!
//! `mcp-example-app-host [--port N] URL` connects to a server, and `mcp-example-app-host [--port N]
//! -- PROGRAM ARG…` starts one. Open the printed address in a browser. With
//! `MCP_REVISION=2025-11-25`, the client speaks this revision.
//!
//! Pages are not trusted. A page is in a frame of another origin (`sandbox.html`), with the policy
//! of the page. It reaches its server only by messages to the host page (`view.js`), which passes
//! the requests on to this program (`host.rs`).
#![allow(clippy::print_stderr, reason = "nothing is served over stdio")]

mod host;
mod sandbox;

use std::env;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use host::Host;
use mcp_extensions::apps::{Apps, ShowApps as _};
use mcp_runtime::Client;
use mcp_runtime::transport::{ChildProcess, http_client};
use tokio::net::TcpListener;

const USAGE: &str = "usage: mcp-example-app-host [--port N] URL
       mcp-example-app-host [--port N] -- PROGRAM [ARGUMENT]…";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (port, server) = match &arguments[..] {
        [option, port, server @ ..] if option == "--port" => {
            (port.parse().context("the port must be a number")?, server)
        }
        server => (0, server),
    };
    let client = connect(server).await?;
    let host_listener = TcpListener::bind(("127.0.0.1", port)).await?;
    // A browser shows `localhost` in another process than `127.0.0.1`, because it is another site.
    let sandbox_listener = TcpListener::bind("127.0.0.1:0").await?;
    let host = Arc::new(Host {
        apps: client.apps()?,
        client,
        authority: host_listener.local_addr()?.to_string(),
        sandbox: format!("localhost:{}", sandbox_listener.local_addr()?.port()),
        pages: Default::default(),
    });
    // Other programs and pages can't guess the address.
    let token = host::random_name();
    eprintln!("http://{}/{token}/", host.authority);
    let sandbox = axum::serve(sandbox_listener, sandbox::router(host.clone()));
    let host = axum::serve(host_listener, host::router(host, &token));
    tokio::try_join!(host.into_future(), sandbox.into_future())?;
    Ok(())
}

/// Connects to the server at a URL, or starts the program after `--`.
async fn connect(server: &[String]) -> anyhow::Result<Client> {
    // If the server is gone, calls fail instead of waiting for it.
    let mut builder = Client::builder(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .extension(Apps::host())
        .without_reconnect();
    if let Ok(revision) = env::var("MCP_REVISION") {
        builder = builder.revision(revision.parse()?);
    }
    Ok(match server {
        [separator, program, arguments @ ..] if separator == "--" => {
            let program = ChildProcess::new(program).args(arguments);
            builder.connect(program).await?
        }
        [url] if url.contains("://") => builder.connect(http_client(url)).await?,
        _ => bail!(USAGE),
    })
}
