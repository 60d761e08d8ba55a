//! Newline-delimited messages over byte streams (2026-07-28, "stdio").

use std::io::{self, IoSlice};
use std::mem;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::frame::BYTE_ORDER_MARK;
use super::{FrameReader, FrameWriter, Incoming, Outbox, Transport};
use crate::limits::MAX_FRAME_BYTES;

/// The free capacity of the buffer for each read.
const READ_BYTES: usize = 16 * 1024;
/// How many bytes at the beginning of an oversized frame are kept, to find its id.
const HEAD_BYTES: usize = 4 * 1024;
/// How many bytes at the end of an oversized frame are kept, in case its last member is the id.
const TAIL_BYTES: usize = 128;
/// The maximum number of parts in one write. Linux does not allocate memory for up to 8 parts.
const PARTS: usize = 8;

/// Reads a message per line from a byte stream.
///
/// Blank lines are skipped. A byte order mark at the beginning of the stream, and carriage returns
/// before line breaks are ignored. The last line needs no line break. A line over the limit is
/// skipped without being held in memory, and reported with its first and last bytes.
#[derive(Debug)]
pub struct LineReader<R> {
    stream: R,
    buffer: BytesMut,
    /// The length of the last line that was returned, which is removed before the next line.
    taken: usize,
    /// How many bytes of the buffer are known to have no line break.
    scanned: usize,
    limit: usize,
    /// True while the rest of an oversized line is being skipped.
    skipping: bool,
    /// True until enough bytes have arrived to check for a byte order mark.
    begins: bool,
    ended: bool,
}

impl<R> LineReader<R> {
    /// Reads frames of at most `limit` bytes from `stream`.
    pub fn new(stream: R, limit: usize) -> Self {
        Self {
            stream,
            buffer: BytesMut::new(),
            taken: 0,
            scanned: 0,
            limit,
            skipping: false,
            begins: true,
            ended: false,
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> FrameReader for LineReader<R> {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        loop {
            self.buffer.advance(mem::take(&mut self.taken));
            let length = self.buffer.len();
            let found = memchr::memchr(b'\n', &self.buffer[self.scanned..]);
            let end = found.map(|offset| self.scanned + offset);
            let Some(end) = end.or((self.ended && length > 0).then_some(length)) else {
                self.scanned = length;
                self.skipping |= length > self.limit;
                return None;
            };
            self.scanned = 0;
            self.taken = length.min(end + 1);
            if mem::take(&mut self.skipping) || end > self.limit {
                return Some(Incoming::TooLarge {
                    head: &self.buffer[..end.min(HEAD_BYTES)],
                    tail: &self.buffer[end.saturating_sub(TAIL_BYTES)..end],
                    limit: self.limit,
                });
            }
            if !self.buffer[..end].trim_ascii().is_empty() {
                return Some(Incoming::Frame(self.buffer[..end].trim_ascii()));
            }
        }
    }

    async fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.skipping {
            // Keep only the beginning and the end of the oversized line.
            let (head, rest) = self.buffer.split_at(self.buffer.len().min(HEAD_BYTES));
            let tail = &rest[rest.len().saturating_sub(TAIL_BYTES)..];
            self.buffer = head.iter().chain(tail).collect();
            self.scanned = self.buffer.len();
        }
        self.buffer.reserve(READ_BYTES);
        let count = self.stream.read_buf(&mut self.buffer).await?;
        self.ended = count == 0;
        if self.begins && self.buffer.len() >= BYTE_ORDER_MARK.len() {
            self.begins = false;
            if self.buffer.starts_with(BYTE_ORDER_MARK) {
                self.buffer.advance(BYTE_ORDER_MARK.len());
                self.scanned = 0;
            }
        }
        Ok(!self.ended)
    }
}

/// Writes a message per line to a byte stream.
#[derive(Debug)]
pub struct LineWriter<W> {
    stream: W,
    /// How many bytes of the outbox the stream has accepted, but not yet flushed.
    taken: usize,
}

impl<W> LineWriter<W> {
    /// Writes to `stream`.
    pub fn new(stream: W) -> Self {
        Self { stream, taken: 0 }
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> FrameWriter for LineWriter<W> {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        if self.taken == 0 {
            let mut parts = [IoSlice::new(&[]); PARTS];
            let filled = outbox.parts(&mut parts);
            self.taken = self.stream.write_vectored(&parts[..filled]).await?;
        }
        if self.taken == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        // This future may be dropped before the flush, so keep the last bytes in the outbox until
        // then.
        if self.taken == outbox.len() {
            self.stream.flush().await?;
        }
        outbox.advance(mem::take(&mut self.taken));
        Ok(())
    }

    fn in_transit(&self, _outbox: &Outbox) -> usize {
        self.taken
    }

    fn takes_parts(&self) -> bool {
        self.stream.is_write_vectored()
    }

    async fn close(&mut self) -> io::Result<()> {
        self.stream.shutdown().await
    }
}

/// A transport that sends newline-delimited messages over a pair of byte streams.
///
/// The framing of stdio works for any reliable stream, including sockets (2026-07-28, "stdio"), so
/// most transports over streams need nothing else.
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
            max_frame_bytes: MAX_FRAME_BYTES,
        }
    }

    /// Sets the size of the largest message that is accepted, in bytes. The default is 24 MiB.
    ///
    /// Larger messages are refused with an error that names the limit. With a limit of 0, all
    /// messages are refused.
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

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Returns the frames that a reader finds in `chunks`, which arrive one by one.
    fn read(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut reader = LineReader::new(Chunks::new(chunks), limit);
        let mut seen = Vec::new();
        while fill(&mut reader) {
            seen.extend(std::iter::from_fn(|| take(&mut reader)));
        }
        seen.extend(std::iter::from_fn(|| take(&mut reader)));
        seen
    }

    fn fill(reader: &mut LineReader<Chunks>) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(reader.fill()).unwrap()
    }

    fn take(reader: &mut LineReader<Chunks>) -> Option<String> {
        reader.next_frame().map(|incoming| match incoming {
            Incoming::Frame(frame) => String::from_utf8(frame.to_vec()).unwrap(),
            Incoming::TooLarge { head, .. } => format!("too large: {}", head.len()),
            other @ (Incoming::Failed { .. } | Incoming::Suspended { .. }) => panic!("{other:?}"),
        })
    }

    #[test]
    fn lines_are_found_however_they_arrive() {
        let expected = ["one", "two", "three"];
        assert_eq!(read(100, &[b"one\ntwo\nthree\n"]), expected);
        let chunks: [&[u8]; 5] = [b"o", b"ne\r", b"\ntw", b"o\n\n  \nthr", b"ee"];
        assert_eq!(read(100, &chunks), expected);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_beginning_only() {
        let mark = BYTE_ORDER_MARK;
        assert_eq!(read(100, &[mark, b"one\ntwo\n"]), ["one", "two"]);
        let chunks: [&[u8]; 4] = [&mark[..1], &mark[1..2], &mark[2..], b"one"];
        assert_eq!(read(100, &chunks), ["one"]);
        assert_eq!(read(100, &[mark, b"\r\none"]), ["one"]);
        // The limit does not include the byte order mark.
        assert_eq!(read(3, &[mark, b"one\n"]), ["one"]);
        let twice = [mark, mark, b"one\n"].concat();
        assert_eq!(read(100, &[&twice]), ["\u{feff}one"]);
        assert_eq!(
            read(100, &[b"one\n", mark, b"two\n"]),
            ["one", "\u{feff}two"]
        );
        assert_eq!(read(100, &[b"1"]), ["1"]);
    }

    #[test]
    fn an_oversized_line_is_skipped_and_the_next_one_served() {
        let long = vec![b'x'; 10_000];
        let seen = read(15_000, &[b"one\n", &long, &long, &long, b"\ntwo\n"]);
        assert_eq!(seen, ["one", "too large: 4096", "two"]);
        assert_eq!(read(3, &[b"four\none\n"]), ["too large: 4", "one"]);
    }

    #[test]
    fn an_oversized_line_is_never_held() {
        let chunk = vec![b'x'; 10_000];
        let mut reader = LineReader::new(Chunks::new(&vec![&chunk[..]; 1000]), 30_000);
        while fill(&mut reader) {
            assert_eq!(take(&mut reader), None);
            assert!(reader.buffer.capacity() < 100_000);
        }
        assert_eq!(take(&mut reader).as_deref(), Some("too large: 4096"));
    }

    #[test]
    fn what_is_not_flushed_is_not_sent() {
        let mut outbox = Outbox::new();
        let line = |bytes: &mut Vec<u8>| {
            bytes.extend_from_slice(b"line");
            Ok::<_, ()>(())
        };
        outbox.push(line).unwrap();
        let mut writer = LineWriter::new(Buffered::default());
        assert!(!is_ready(writer.write(&mut outbox)));
        assert_eq!(outbox.len(), 5, "the write was dropped before the flush");
        outbox.push(line).unwrap();

        writer.stream.flushes = true;
        assert!(is_ready(writer.write(&mut outbox)));
        assert!(is_ready(writer.write(&mut outbox)));
        assert!(outbox.is_empty());
        assert_eq!(writer.stream.flushed, b"line\nline\n");
    }

    fn is_ready(future: impl Future<Output = io::Result<()>>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        let polled = pin!(future).poll(&mut context);
        polled.map(Result::unwrap).is_ready()
    }

    /// A stream that buffers all bytes until it may flush them.
    #[derive(Debug, Default)]
    struct Buffered {
        written: Vec<u8>,
        flushed: Vec<u8>,
        flushes: bool,
    }

    impl AsyncWrite for Buffered {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.written.extend_from_slice(bytes);
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            if !self.flushes {
                return Poll::Pending;
            }
            let written = mem::take(&mut self.written);
            self.flushed.extend(written);
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// A stream that returns one chunk per read.
    struct Chunks(std::collections::VecDeque<Vec<u8>>);

    impl Chunks {
        fn new(chunks: &[&[u8]]) -> Self {
            Self(chunks.iter().map(|chunk| chunk.to_vec()).collect())
        }
    }

    impl AsyncRead for Chunks {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut tokio::io::ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            buf.put_slice(&self.0.pop_front().unwrap_or_default());
            Poll::Ready(Ok(()))
        }
    }
}
