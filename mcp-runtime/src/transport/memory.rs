//! Connections between two peers in one process.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::ByteStream;
use crate::limits::MEMORY_BYTES;

/// One end of a connection in memory.
pub type Memory = ByteStream<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// Creates a connection in memory. Each end receives the bytes that the other sends, as over a
/// pipe.
///
/// ```
/// let (client, server) = mcp_runtime::transport::memory::pair();
/// # drop((client, server));
/// ```
#[must_use]
pub fn pair() -> (Memory, Memory) {
    let (one, other) = tokio::io::duplex(MEMORY_BYTES);
    (end(one), end(other))
}

fn end(stream: DuplexStream) -> Memory {
    let (reader, writer) = tokio::io::split(stream);
    ByteStream::new(reader, writer)
}
