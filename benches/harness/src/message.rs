//! Builds the requests that the servers receive.

use serde_json::{Value, json};

/// The era of a conversation, which decides how it begins and what each request contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// The conversation begins with `initialize`, as in 2025-06-18.
    Handshake,
    /// Every request is self-contained, as in 2026-07-28.
    Stateless,
}

impl Wire {
    pub(super) const BOTH: [Self; 2] = [Self::Handshake, Self::Stateless];

    pub(super) fn revision(self) -> &'static str {
        match self {
            Self::Handshake => "2025-06-18",
            Self::Stateless => "2026-07-28",
        }
    }
}

/// The request that is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Calls the tool `add` with two small numbers.
    Add,
    /// Calls the tool `echo` with this many bytes of text.
    Echo(usize),
    /// Lists all tools.
    List,
}

impl Ask {
    pub(super) fn name(self) -> String {
        match self {
            Self::Add => "add".to_owned(),
            Self::Echo(bytes) if bytes >= 1024 * 1024 => format!("echo {} MB", bytes >> 20),
            Self::Echo(bytes) if bytes >= 1024 => format!("echo {} KB", bytes >> 10),
            Self::Echo(bytes) => format!("echo {bytes} B"),
            Self::List => "list".to_owned(),
        }
    }

    pub(super) fn method(self) -> &'static str {
        match self {
            Self::List => "tools/list",
            Self::Add | Self::Echo(_) => "tools/call",
        }
    }

    pub(super) fn tool(self) -> Option<&'static str> {
        match self {
            Self::Add => Some("add"),
            Self::Echo(_) => Some("echo"),
            Self::List => None,
        }
    }

    fn params(self, wire: Wire) -> Value {
        let mut params = match self {
            Self::Add => json!({"name": "add", "arguments": {"a": 2, "b": 3}}),
            Self::Echo(bytes) => json!({"name": "echo", "arguments": {"text": text(bytes)}}),
            Self::List => json!({}),
        };
        if wire == Wire::Stateless {
            params["_meta"] = terms();
        }
        params
    }

    pub(super) fn is_answered_by(self, answer: &[u8]) -> bool {
        let Ok(answer) = serde_json::from_slice::<Value>(answer) else {
            return false;
        };
        let result = &answer["result"];
        let said = &result["content"][0]["text"];
        match self {
            Self::Add => is_said(said, "5"),
            Self::Echo(bytes) => is_said(said, &text(bytes)),
            Self::List => result["tools"].as_array().is_some_and(|it| it.len() > 2),
        }
    }
}

/// Returns whether a result is `text`, or `text` as JSON, which pmcp returns for a string.
fn is_said(said: &Value, text: &str) -> bool {
    let said = said.as_str().unwrap_or_default();
    said == text || serde_json::from_str::<String>(said).is_ok_and(|said| said == text)
}

/// Returns text with line breaks, which JSON has to escape.
fn text(bytes: usize) -> String {
    let line = "The quick brown fox says hello to the lazy dog, and then it goes home.\n";
    let mut text = line.repeat(bytes / line.len() + 1);
    text.truncate(bytes);
    text
}

/// Returns the `_meta` of a stateless request.
fn terms() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": Wire::Stateless.revision(),
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

/// A request whose id can be filled in.
pub(super) struct Template {
    tail: String,
}

impl Template {
    pub(super) fn new(ask: Ask, wire: Wire) -> Self {
        Self::of(ask.method(), &ask.params(wire))
    }

    fn of(method: &str, params: &Value) -> Self {
        Self {
            tail: format!(r#","method":"{method}","params":{params}}}"#),
        }
    }

    pub(super) fn write(&self, id: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(format!(r#"{{"jsonrpc":"2.0","id":{id}"#).as_bytes());
        out.extend_from_slice(self.tail.as_bytes());
    }
}

/// Returns the request that opens a conversation, with id 0.
pub(super) fn opening(wire: Wire) -> Vec<u8> {
    let template = match wire {
        Wire::Handshake => Template::of(
            "initialize",
            &json!({
                "protocolVersion": wire.revision(),
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1.0"}
            }),
        ),
        Wire::Stateless => Template::of("server/discover", &json!({"_meta": terms()})),
    };
    let mut bytes = Vec::new();
    template.write(0, &mut bytes);
    bytes
}

/// The notification that completes the handshake.
pub(super) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
