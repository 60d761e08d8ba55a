//! A client that does not read its answers.

use std::io;
use std::time::Duration;

use mcp_runtime::ServeError;
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::{FrameWriter, Outbox, Transport};
use serde_json::json;

use crate::support::{Wire, server, stateless};

#[tokio::test(start_paused = true)]
async fn after_the_write_timeout_the_connection_is_closed() {
    let (ours, theirs) = memory::pair();
    let serving = server().serve(theirs).signals(false);
    let serving = serving.write_timeout(Duration::from_secs(30));
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    let begun = tokio::time::Instant::now();
    let long = "x".repeat(100_000);
    wire.send(stateless(
        1,
        "tools/call",
        json!({"name": "echo", "arguments": {"text": long}}),
    ))
    .await;
    let ended = (&mut wire.serving).await.unwrap();
    assert!(matches!(ended, Err(ServeError::Connection(_))), "{ended:?}");
    assert_eq!(begun.elapsed().as_secs(), 30);
}

#[tokio::test]
async fn requests_wait_until_the_answers_before_them_are_read() {
    let mut wire = Wire::open().await;
    let long = "x".repeat(100_000);
    let calls: Vec<_> = (0..100)
        .map(|id| {
            let params = json!({"name": "echo", "arguments": {"text": long}});
            stateless(id, "tools/call", params).to_string()
        })
        .collect();
    for (id, answer) in wire.exchange(&calls, 100).await.into_iter().enumerate() {
        assert_eq!(answer["id"], id);
    }
}

#[tokio::test]
async fn requests_that_came_before_the_end_of_input_are_served() {
    let mut wire = Wire::open().await;
    let long = "x".repeat(2_000_000);
    let first = stateless(
        1,
        "tools/call",
        json!({"name": "echo", "arguments": {"text": long}}),
    );
    let second = stateless(2, "tools/call", json!({"name": "soon"}));
    let sent = [first.to_string(), second.to_string()];
    assert_eq!(wire.exchange(&sent, 1).await[0]["id"], 1);
    let rest = wire.drain().await;
    assert_eq!(rest[0]["id"], 2, "{rest:?}");
    assert!(rest[0]["result"].is_object(), "{rest:?}");
}

/// A transport whose writer continues for a moment after it has taken the last byte, as a writer
/// that flushes does.
struct Flushing(Memory);

struct FlushingWriter(<Memory as Transport>::Writer);

impl Transport for Flushing {
    type Reader = <Memory as Transport>::Reader;
    type Writer = FlushingWriter;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (reader, writer) = self.0.open().await?;
        Ok((reader, FlushingWriter(writer)))
    }
}

impl FrameWriter for FlushingWriter {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        self.0.write(outbox).await?;
        tokio::task::yield_now().await;
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.0.close().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_ends_with_its_last_answer_however_it_is_written() {
    let (ours, theirs) = memory::pair();
    let serving = server().serve(Flushing(theirs)).signals(false);
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    let begun = tokio::time::Instant::now();
    wire.send(stateless(1, "tools/call", json!({"name": "soon"})))
        .await;
    let rest = wire.drain().await;
    assert_eq!(rest[0]["id"], 1, "{rest:?}");
    assert_eq!(begun.elapsed(), Duration::ZERO);
}
