//! A server that says exactly what a test wants.

#![allow(clippy::unwrap_used, dead_code)]

use mcp_runtime::transport::memory::Memory;
use mcp_runtime::transport::{
    ByteStream, DEFAULT_MAX_FRAME_BYTES, FrameReader, FrameWriter, Incoming, LineReader,
    LineWriter, Outbox, Transport,
};
use mcp_runtime::{Client, ClientBuilder, Revision};
use serde_json::{Value, json};

/// The server's end of a connection, which speaks in lines.
pub(crate) struct Scripted {
    reader: <Memory as Transport>::Reader,
    writer: <Memory as Transport>::Writer,
    outbox: Outbox,
}

impl Scripted {
    /// A connection: the client's end, and the server.
    pub(crate) fn pair() -> (Memory, Self) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let server = Self {
            reader: LineReader::new(reader, DEFAULT_MAX_FRAME_BYTES),
            writer: LineWriter::new(writer),
            outbox: Outbox::new(),
        };
        let (reader, writer) = tokio::io::split(ours);
        (ByteStream::new(reader, writer), server)
    }

    /// The next message, or `None` when the client has closed its side.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            match self.reader.next_frame() {
                Some(Incoming::Frame(frame)) => {
                    return Some(serde_json::from_slice(frame).unwrap());
                }
                Some(other) => panic!("{other:?}"),
                None => {}
            }
            if !self.reader.fill().await.unwrap() {
                return None;
            }
        }
    }

    /// The next message, which must be of this method; gives back its id and parameters.
    pub(crate) async fn expect(&mut self, method: &str) -> (Value, Value) {
        let message = self.next().await.expect("a message was expected");
        assert_eq!(message["method"], method, "{message}");
        (message["id"].clone(), message["params"].clone())
    }

    pub(crate) async fn send_text(&mut self, line: &str) {
        self.send_bytes(line.as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, line: &[u8]) {
        self.outbox
            .push(|out| {
                out.extend_from_slice(line);
                Ok::<_, ()>(())
            })
            .unwrap();
        self.writer.write(&mut self.outbox).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub(crate) async fn answer(&mut self, id: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await;
    }

    pub(crate) async fn refuse(&mut self, id: &Value, code: i64, data: Value) {
        let error = json!({"code": code, "message": "no", "data": data});
        self.send(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            .await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}))
            .await;
    }

    /// Answers `initialize` with `revision`, and takes the notification that follows.
    pub(crate) async fn shake_hands(&mut self, revision: &str) -> Value {
        let (id, params) = self.expect("initialize").await;
        self.answer(&id, initialized(revision)).await;
        self.expect("notifications/initialized").await;
        params
    }

    /// Answers `server/discover`.
    pub(crate) async fn be_discovered(&mut self) -> Value {
        let (id, params) = self.expect("server/discover").await;
        self.answer(&id, discovered(&["2026-07-28"])).await;
        params
    }
}

/// A result of `initialize`.
pub(crate) fn initialized(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {"tools": {}, "logging": {}, "resources": {"subscribe": true}},
        "serverInfo": {"name": "scripted", "version": "1"},
    })
}

/// A result of `server/discover`.
pub(crate) fn discovered(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}},
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// A client that is connected to a scripted server in the handshake era.
pub(crate) async fn operating(builder: ClientBuilder) -> (Client, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let connect = builder.revision(Revision::V2025_11_25).connect(ours);
    let (client, _) = tokio::join!(connect, server.shake_hands("2025-11-25"));
    (client.unwrap(), server)
}

/// A client that is connected to a scripted server in the stateless era.
pub(crate) async fn stateless(builder: ClientBuilder) -> (Client, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let (client, _) = tokio::join!(builder.connect(ours), server.be_discovered());
    (client.unwrap(), server)
}

/// A result of `tools/call`.
pub(crate) fn said(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
