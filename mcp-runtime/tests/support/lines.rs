//! One end of a connection in memory, for peers that send exactly the lines of a test.

use futures_util::FutureExt as _;
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};
use serde_json::Value;

type Reader = <Memory as Transport>::Reader;
type Writer = <Memory as Transport>::Writer;

/// One end of a connection in memory.
pub struct Lines {
    reader: Reader,
    writer: Writer,
    outbox: Outbox,
}

impl Lines {
    /// Creates a connection, and returns one end as a transport and the other as lines.
    pub fn pair() -> (Memory, Self) {
        let (ours, theirs) = memory::pair();
        let lines = Self::open(theirs).now_or_never();
        (
            ours,
            lines.expect("an in-memory connection opens immediately"),
        )
    }

    pub async fn open(end: Memory) -> Self {
        let (reader, writer) = end.open().await.unwrap();
        Self {
            reader,
            writer,
            outbox: Outbox::new(),
        }
    }

    pub async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    pub async fn send_text(&mut self, line: &str) {
        self.send_bytes(line.as_bytes()).await;
    }

    pub async fn send_bytes(&mut self, line: &[u8]) {
        push(&mut self.outbox, line);
        write_all(&mut self.writer, &mut self.outbox).await;
    }

    /// Sends a message to a peer that may have left. Returns false if it has left.
    pub async fn offer(&mut self, message: &Value) -> bool {
        push(&mut self.outbox, message.to_string().as_bytes());
        while !self.outbox.is_empty() {
            if self.writer.write(&mut self.outbox).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Returns the next message; `None` when the peer has closed its side.
    pub async fn next(&mut self) -> Option<Value> {
        next_message(&mut self.reader).await
    }

    /// Sends a line, and returns the next line verbatim.
    pub async fn ask_raw(&mut self, line: &str) -> String {
        self.send_text(line).await;
        self.next_text().await
    }

    /// Returns the next line verbatim.
    pub async fn next_text(&mut self) -> String {
        loop {
            match self.reader.next_frame() {
                Some(Incoming::Frame(frame)) => return String::from_utf8(frame.to_vec()).unwrap(),
                Some(other) => panic!("{other:?}"),
                None => assert!(self.reader.fill().await.unwrap(), "a message was expected"),
            }
        }
    }

    /// Sends all lines and receives `count` messages concurrently.
    pub async fn exchange(&mut self, lines: &[String], count: usize) -> Vec<Value> {
        for line in lines {
            push(&mut self.outbox, line.as_bytes());
        }
        let receive = async {
            let mut received = Vec::new();
            while received.len() < count {
                received.push(next_message(&mut self.reader).await.unwrap());
            }
            received
        };
        let send = write_all(&mut self.writer, &mut self.outbox);
        tokio::join!(send, receive).1
    }

    /// Closes the direction to the peer.
    pub async fn finish(&mut self) {
        self.writer.close().await.unwrap();
    }
}

fn push(outbox: &mut Outbox, line: &[u8]) {
    outbox
        .push(|out| {
            out.extend_from_slice(line);
            Ok::<_, ()>(())
        })
        .unwrap();
}

async fn write_all(writer: &mut Writer, outbox: &mut Outbox) {
    while !outbox.is_empty() {
        writer.write(outbox).await.unwrap();
    }
}

async fn next_message(reader: &mut Reader) -> Option<Value> {
    loop {
        match reader.next_frame() {
            Some(Incoming::Frame(frame)) => return Some(serde_json::from_slice(frame).unwrap()),
            Some(other) => panic!("{other:?}"),
            None => {}
        }
        if !reader.fill().await.unwrap() {
            return None;
        }
    }
}
