//! Servers that send exactly the messages of a test.

use std::ops::{Deref, DerefMut};

use mcp_runtime::transport::memory::Memory;
use mcp_runtime::{Client, ClientBuilder, Revision};
use serde_json::{Value, json};

use super::lines::Lines;

/// The server's end of a connection.
pub struct Scripted(Lines);

impl Deref for Scripted {
    type Target = Lines;

    fn deref(&self) -> &Lines {
        &self.0
    }
}

impl DerefMut for Scripted {
    fn deref_mut(&mut self) -> &mut Lines {
        &mut self.0
    }
}

impl Scripted {
    /// Creates a connection, and returns the client's end and the server.
    pub fn pair() -> (Memory, Self) {
        let (ours, server) = Lines::pair();
        (ours, Self(server))
    }

    /// Returns the id and parameters of the next message, which must have this method.
    pub async fn expect(&mut self, method: &str) -> (Value, Value) {
        let message = self.next().await.expect("a message was expected");
        assert_eq!(message["method"], method, "{message}");
        (message["id"].clone(), message["params"].clone())
    }

    pub async fn answer(&mut self, id: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    pub async fn refuse(&mut self, id: &Value, code: i64, data: Value) {
        let error = json!({"code": code, "message": "no", "data": data});
        self.send(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            .await;
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Answers `initialize` with `revision`, and receives the notification that follows.
    pub async fn shake_hands(&mut self, revision: &str) -> Value {
        let (id, params) = self.expect("initialize").await;
        self.answer(&id, initialized(revision)).await;
        self.expect("notifications/initialized").await;
        params
    }

    /// Answers `server/discover`.
    pub async fn be_discovered(&mut self) -> Value {
        let (id, params) = self.expect("server/discover").await;
        self.answer(&id, discovered(&["2026-07-28"])).await;
        params
    }
}

/// Returns a result of `initialize`.
pub fn initialized(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {"tools": {}, "logging": {}, "resources": {"subscribe": true}},
        "serverInfo": {"name": "scripted", "version": "1"},
    })
}

/// Returns a result of `server/discover`.
pub fn discovered(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}},
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// Connects a client to a scripted server in the handshake era.
pub async fn operating(builder: ClientBuilder) -> (Client, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let connect = builder.revision(Revision::V2025_11_25).connect(ours);
    let (client, _) = tokio::join!(connect, server.shake_hands("2025-11-25"));
    (client.unwrap(), server)
}

/// Connects a client to a scripted server in the stateless era.
pub async fn stateless(builder: ClientBuilder) -> (Client, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let (client, _) = tokio::join!(builder.connect(ours), server.be_discovered());
    (client.unwrap(), server)
}

/// Returns a result of `tools/call`.
pub fn said(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
