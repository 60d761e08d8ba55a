//! A client that sends exactly the messages of a test, and does not declare the extension.

use mcp_runtime::Server;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::transport::memory;

use crate::lines::Lines;

pub const HANDSHAKE: &str = "2025-11-25";
pub const STATELESS: &str = "2026-07-28";
pub const BOTH: [&str; 2] = [HANDSHAKE, STATELESS];

pub struct Wire {
    lines: Lines,
    last: u32,
    revision: &'static str,
    name: &'static str,
}

impl Wire {
    /// Connects a client called `test`.
    pub async fn to(server: &Server, revision: &'static str) -> Self {
        Self::named(server, revision, "test").await
    }

    pub async fn named(server: &Server, revision: &'static str, name: &'static str) -> Self {
        let (ours, theirs) = memory::pair();
        tokio::spawn(server.serve(theirs).signals(false).into_future());
        let mut wire = Self {
            lines: Lines::open(ours).await,
            last: 0,
            revision,
            name,
        };
        if revision != STATELESS {
            let initialize = json!({
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": {"name": name, "version": "1"},
            });
            wire.ask("initialize", initialize).await;
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            wire.lines.send(initialized).await;
        }
        wire
    }

    /// Sends a request, and returns its id.
    pub async fn send(&mut self, method: &str, mut params: Value) -> u32 {
        self.last += 1;
        if self.revision == STATELESS {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.last;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.lines.send(message).await;
        id
    }

    /// Receives the next message.
    pub async fn next(&mut self) -> Value {
        self.lines.next().await
    }

    /// Sends a request, and returns its result or error.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        let error = answer["error"].clone();
        answer.get("result").cloned().unwrap_or(error)
    }

    pub async fn list(&mut self) -> Value {
        self.ask("skills/list", json!({})).await
    }

    /// Returns the URIs of the listed skills.
    pub async fn uris(&mut self) -> Vec<String> {
        strings(&self.list().await["skills"], "uri")
    }

    pub async fn get(&mut self, uri: &str) -> Value {
        self.ask("skills/get", json!({"uri": uri})).await
    }

    pub async fn read(&mut self, uri: &str) -> Value {
        self.ask("resources/read", json!({"uri": uri})).await
    }

    pub async fn directory(&mut self, uri: &str) -> Value {
        let params = json!({"uri": uri});
        self.ask("resources/directory/read", params).await
    }
}

/// Returns the member `name` of each item.
pub fn strings(items: &Value, name: &str) -> Vec<String> {
    let items = items.as_array().unwrap_or_else(|| panic!("{items}"));
    let strings = items
        .iter()
        .map(|item| item[name].as_str().unwrap().to_owned());
    strings.collect()
}
