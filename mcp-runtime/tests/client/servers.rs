//! Servers that follow one another, for a client that reconnects.

use std::time::Duration;

use mcp_runtime::client::{Reconnect, TransportState};
use mcp_runtime::transport::memory::Memory;
use mcp_runtime::{Client, ClientBuilder, Era};
use tokio::sync::mpsc;

use crate::support::scripted::Scripted;

pub(crate) const SECOND: Duration = Duration::from_secs(1);

pub(crate) fn builder() -> ClientBuilder {
    let steady = Reconnect {
        jitter: 0.0,
        ..Reconnect::default()
    };
    Client::builder("test", "1.0.0").reconnect(steady)
}

/// Servers that follow one another. Each waits for its client.
pub(crate) struct Servers(pub(crate) mpsc::UnboundedReceiver<Scripted>);

impl Servers {
    /// Returns the servers, and a function that connects to the next one.
    pub(crate) fn new() -> (Self, impl Fn() -> Memory + Send + Sync) {
        let (started, servers) = mpsc::unbounded_channel();
        let make = move || {
            let (ours, server) = Scripted::pair();
            // This fails if the test is already over.
            let _ = started.send(server);
            ours
        };
        (Self(servers), make)
    }

    pub(crate) async fn next(&mut self) -> Scripted {
        self.0.recv().await.unwrap()
    }

    /// Returns the next server after its handshake.
    pub(crate) async fn operating(&mut self) -> Scripted {
        let mut server = self.next().await;
        server.shake_hands("2025-11-25").await;
        server
    }
}

/// Returns a client of the handshake era, its first server, and the servers that follow.
pub(crate) async fn connected(builder: ClientBuilder) -> (Client, Scripted, Servers) {
    let (mut servers, make) = Servers::new();
    let connect = builder.era(Era::Handshake).connect_with(make);
    let (client, server) = tokio::join!(connect, servers.operating());
    (client.unwrap(), server, servers)
}

pub(crate) async fn until(client: &Client, state: TransportState) {
    let mut status = client.watch_status();
    while status.current().transport != state {
        status.changed().await.unwrap();
    }
}
