//! Clients of tests.

use mcp_runtime::transport::memory;
use mcp_runtime::{Client, ClientBuilder, Server};

/// A client with the defaults.
pub fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0")
}

/// Connects to `server` in memory.
pub async fn connect(builder: ClientBuilder, server: &Server) -> Client {
    let (ours, theirs) = memory::pair();
    tokio::spawn(server.serve(theirs).signals(false).into_future());
    builder.connect(ours).await.unwrap()
}
