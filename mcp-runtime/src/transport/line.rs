//! Newline-delimited frames over any byte stream (2026-07-28, "stdio").

use std::io::{self, IoSlice};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{FrameReader, FrameWriter, Incoming, Outbox};

/// How much room is made before each read.
const READ_BYTES: usize = 16 * 1024;
/// How much of an oversized frame is kept to look for its id.
const HEAD_BYTES: usize = 4 * 1024;
/// How much of its end is kept, for the same reason.
const TAIL_BYTES: usize = 128;
/// How many parts leave in one write; Linux allocates nothing for so many.
const PARTS: usize = 8;

/// Reads lines; blank ones are skipped, and a carriage return before the line break is tolerated.
///
/// A last line without a line break still counts. A line over the limit is never held in memory:
/// it is skipped, and reported with its first and last bytes.
#[derive(Debug)]
pub struct LineReader<R> {
    stream: R,
    buffer: Vec<u8>,
    /// Where the first line that was not taken begins.
    start: usize,
    /// Up to where no line break was found.
    scanned: usize,
    limit: usize,
    /// Set while the rest of an oversized line is being skipped.
    skipping: bool,
    ended: bool,
}

impl<R> LineReader<R> {
    /// Reads from `stream`, frames of at most `limit` bytes.
    pub fn new(stream: R, limit: usize) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            skipping: false,
            ended: false,
        }
    }

    /// The end of the line that begins at `start`, once it is complete: the position of its line
    /// break, or of the end of input.
    fn line_end(&mut self) -> Option<usize> {
        let found = memchr::memchr(b'\n', &self.buffer[self.scanned..]);
        let end = found.map(|offset| self.scanned + offset);
        self.scanned = end.unwrap_or(self.buffer.len());
        end.or_else(|| (self.ended && self.start < self.buffer.len()).then_some(self.buffer.len()))
    }

    /// Forgets what was taken, keeping what belongs to an incomplete line.
    fn compact(&mut self) {
        if self.skipping {
            // Only both ends of the oversized line are kept.
            let head_end = (self.start + HEAD_BYTES).min(self.buffer.len());
            let tail_start = self.buffer.len().saturating_sub(TAIL_BYTES).max(head_end);
            self.buffer.drain(head_end..tail_start);
            self.buffer.drain(..self.start);
            self.buffer.shrink_to(READ_BYTES);
        } else {
            self.buffer.drain(..self.start);
        }
        self.start = 0;
        self.scanned = self.buffer.len();
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> FrameReader for LineReader<R> {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        loop {
            let Some(end) = self.line_end() else {
                self.skipping |= self.buffer.len() - self.start > self.limit;
                return None;
            };
            let start = self.start;
            self.start = (end + 1).min(self.buffer.len());
            self.scanned = self.start;
            let oversized = std::mem::take(&mut self.skipping) || end - start > self.limit;
            if oversized {
                let line = &self.buffer[start..end];
                return Some(Incoming::TooLarge {
                    head: &line[..line.len().min(HEAD_BYTES)],
                    tail: &line[line.len().saturating_sub(TAIL_BYTES)..],
                    limit: self.limit,
                });
            }
            if !self.buffer[start..end].trim_ascii().is_empty() {
                return Some(Incoming::Frame(self.buffer[start..end].trim_ascii()));
            }
        }
    }

    async fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.compact();
        self.buffer.reserve(READ_BYTES);
        let count = self.stream.read_buf(&mut self.buffer).await?;
        self.ended = count == 0;
        Ok(!self.ended)
    }
}

/// Writes lines.
#[derive(Debug)]
pub struct LineWriter<W> {
    stream: W,
    /// Bytes at the front of the outbox that the stream has taken, and must still be flushed.
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
            self.taken = if outbox.is_whole() {
                self.stream.write(outbox.bytes()).await?
            } else {
                let mut parts = [IoSlice::new(&[]); PARTS];
                let filled = outbox.parts(&mut parts);
                self.stream.write_vectored(&parts[..filled]).await?
            };
        }
        if self.taken == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        // The last bytes stay in the outbox until they are flushed, so that a future that is dropped
        // meanwhile leaves something to do.
        if self.taken == outbox.len() {
            self.stream.flush().await?;
        }
        outbox.advance(std::mem::take(&mut self.taken));
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

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Everything a reader makes of `chunks`, each of which arrives by itself.
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
            other @ Incoming::Failed { .. } => panic!("{other:?}"),
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

    /// A stream that keeps what is written until it can flush it.
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
            let written = std::mem::take(&mut self.written);
            self.flushed.extend(written);
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// A stream that gives one chunk a read.
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
