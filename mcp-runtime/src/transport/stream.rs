//! A transport over any pair of byte streams.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{DEFAULT_MAX_FRAME_BYTES, LineReader, LineWriter, Transport};

/// Newline-delimited messages over a byte stream in each direction.
///
/// The framing of stdio serves any reliable stream, sockets included (2026-07-28, "stdio"), so this
/// is all that a stream-like transport needs.
///
/// ```
/// use mcp_runtime::transport::ByteStream;
///
/// let (ours, theirs) = tokio::io::duplex(1024);
/// let (reader, writer) = tokio::io::split(ours);
/// let transport = ByteStream::new(reader, writer).max_frame_bytes(1024 * 1024);
/// # drop((transport, theirs));
/// ```
#[derive(Debug)]
pub struct ByteStream<R, W> {
    reader: R,
    writer: W,
    max_frame_bytes: usize,
}

impl<R, W> ByteStream<R, W> {
    /// Reads messages from `reader` and writes them to `writer`.
    pub fn new(reader: R, writer: W) -> Self {
        Self {
            reader,
            writer,
            max_frame_bytes: DEFAULT_MAX_FRAME_BYTES,
        }
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.max_frame_bytes = limit;
        self
    }
}

impl<R, W> Transport for ByteStream<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Reader = LineReader<R>;
    type Writer = LineWriter<W>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        Ok((
            LineReader::new(self.reader, self.max_frame_bytes),
            LineWriter::new(self.writer),
        ))
    }
}
