//! Clients for tests.

use mcp_runtime::proxy::Upstream;
use mcp_runtime::transport::memory;
use mcp_runtime::{Client, ClientBuilder, Server};

/// Returns a client with default settings.
pub fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

/// Connects to `server` in memory.
pub async fn connect(builder: ClientBuilder, server: &Server) -> Client {
    let (ours, theirs) = memory::pair();
    tokio::spawn(server.serve(theirs).signals(false).into_future());
    builder.connect(ours).await.unwrap()
}

/// Returns an upstream that connects to `server` in memory.
pub fn upstream(server: &Server) -> Upstream {
    let server = server.clone();
    Upstream::new(move |builder| {
        let (ours, theirs) = memory::pair();
        tokio::spawn(server.serve(theirs).signals(false).into_future());
        builder.connect(ours)
    })
}
