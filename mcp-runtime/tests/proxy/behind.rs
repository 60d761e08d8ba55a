//! The servers behind a proxy, and its clients.

use std::collections::BTreeMap;
use std::error::Error;

use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::McpServer as _;
use mcp_runtime::{Era, Server};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::scripted::Scripted;
use crate::support::{Wire, request};

pub const HANDSHAKE: &str = "2025-11-25";

/// Scripted servers, in the order in which a proxy connects to them.
pub struct Behind(mpsc::UnboundedReceiver<Scripted>);

impl Behind {
    pub async fn next(&mut self) -> Scripted {
        self.0.recv().await.unwrap()
    }

    /// Returns the next server after its handshake.
    pub async fn operating(&mut self) -> Scripted {
        let mut server = self.next().await;
        server.shake_hands(HANDSHAKE).await;
        server
    }

    /// Returns the next server after its discovery.
    pub async fn discovered(&mut self) -> Scripted {
        let mut server = self.next().await;
        server.be_discovered().await;
        server
    }

    /// Returns true if the proxy has opened no connection since the last one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

pub fn upstream(era: Era) -> (Upstream, Behind) {
    upstream_after(era, async || Ok(()))
}

/// Returns an upstream that waits for `ready` before it connects, and fails with its error.
pub fn upstream_after<F>(
    era: Era,
    ready: impl Fn() -> F + Send + Sync + 'static,
) -> (Upstream, Behind)
where
    F: Future<Output = Result<(), &'static str>> + Send + 'static,
{
    let (started, servers) = mpsc::unbounded_channel();
    let upstream = Upstream::new(move |client| {
        let started = started.clone();
        let ready = ready();
        async move {
            ready.await?;
            let connected = client.era(era).connect_with(move || {
                let (ours, server) = Scripted::pair();
                // This fails if the test is already over.
                let _ = started.send(server);
                ours
            });
            Ok::<_, Box<dyn Error + Send + Sync>>(connected.await?)
        }
    });
    (upstream, Behind(servers))
}

/// Returns a proxy, and the servers behind it.
pub fn proxy(era: Era) -> (Server, Behind) {
    let (upstream, behind) = upstream(era);
    (Proxy::new(upstream).into_server(), behind)
}

/// Connects a client with a handshake to a proxy whose server has one as well.
pub async fn session(proxy: &Server, behind: &mut Behind) -> (Wire, Scripted) {
    let mut wire = Wire::to(proxy).await;
    let (_, server) = tokio::join!(wire.handshake(HANDSHAKE), behind.operating());
    (wire, server)
}

/// Connects a client with a handshake to a proxy of a stateless server.
pub async fn bridged(proxy: &Server, behind: &mut Behind) -> (Wire, Scripted) {
    let mut wire = Wire::to(proxy).await;
    let (_, server) = tokio::join!(wire.handshake(HANDSHAKE), behind.discovered());
    (wire, server)
}

/// Returns an `initialize` with these capabilities.
pub fn introduced(name: &str, capabilities: Value) -> Value {
    let params = json!({
        "protocolVersion": HANDSHAKE,
        "capabilities": capabilities,
        "clientInfo": {"name": name, "version": "1"},
    });
    request(0, "initialize", params)
}

/// Returns a stateless request of a client with these capabilities.
pub fn asked(id: u64, method: &str, mut params: Value, capabilities: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    request(id, method, params)
}

/// Returns the text of a member of a message.
pub fn member(line: &str, name: &str) -> String {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(line).unwrap();
    members[name].get().to_owned()
}

/// Returns the answer to a request that was received as `line`.
pub fn answer_to(line: &str, outcome: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#,
        member(line, "id")
    )
}
