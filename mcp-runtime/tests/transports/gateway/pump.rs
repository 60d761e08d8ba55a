//! Passes frames between a test and a transport.

use mcp_runtime::transport::memory::Memory;
use mcp_runtime::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};

/// Passes all frames between `line` and `transport` until both directions have ended.
pub(super) async fn connect(line: Memory, transport: impl Transport) {
    let (from_test, to_test) = line.open().await.unwrap();
    let (reader, writer) = transport.open().await.unwrap();
    let forth = tokio::spawn(pump(from_test, writer));
    pump(reader, to_test).await;
    forth.abort();
}

async fn pump(mut from: impl FrameReader, mut to: impl FrameWriter) {
    let mut outbox = Outbox::new();
    let mut open = true;
    while open {
        open = from.fill().await.unwrap_or(false);
        while let Some(Incoming::Frame(frame)) = from.next_frame() {
            let Ok(()) = outbox.push(|out| {
                out.extend_from_slice(frame);
                Ok::<_, std::convert::Infallible>(())
            });
        }
        while !outbox.is_empty() {
            // A test may stop reading once it has seen enough.
            if to.write(&mut outbox).await.is_err() {
                return;
            }
        }
    }
    let _ = to.close().await;
}
