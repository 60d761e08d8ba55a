//! One end of a connection, which sends exactly the messages of a test.

use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::transport::memory::Memory;
use mcp_runtime::transport::{FrameReader as _, FrameWriter as _, Incoming, Outbox, Transport};

pub struct Lines {
    reader: <Memory as Transport>::Reader,
    writer: <Memory as Transport>::Writer,
}

impl Lines {
    pub async fn open(end: Memory) -> Self {
        let (reader, writer) = end.open().await.unwrap();
        Self { reader, writer }
    }

    /// Receives the next message.
    pub async fn next(&mut self) -> Value {
        loop {
            match self.reader.next_frame() {
                Some(Incoming::Frame(frame)) => return serde_json::from_slice(frame).unwrap(),
                Some(other) => panic!("{other:?}"),
                None => assert!(self.reader.fill().await.unwrap(), "a message was expected"),
            }
        }
    }

    #[allow(
        dead_code,
        reason = "servers of skills and tasks are asked, and do not ask"
    )]
    pub async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
            .await;
    }

    pub async fn send(&mut self, message: Value) {
        let message = message.to_string();
        let mut outbox = Outbox::new();
        let written = outbox.push(|frame| {
            frame.extend_from_slice(message.as_bytes());
            Ok::<_, ()>(())
        });
        written.unwrap();
        while !outbox.is_empty() {
            self.writer.write(&mut outbox).await.unwrap();
        }
    }
}
