//! I/O of one connection with timeouts, and its activity.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use tokio::time::Sleep;

use crate::limits::HALF_CLOSE_TIMEOUT;

/// A connection that fails when the peer does not read for the write timeout.
///
/// It is closed by halves: input is read to the end and dropped, as closing with input unread resets
/// the connection, and the last answer may be lost (RFC 9112, section 9.6).
pub(in crate::transport::http) struct TimeoutIo<I> {
    io: I,
    activity: Arc<Activity>,
    write_timeout: Duration,
    /// While the peer does not read.
    stalled: Option<Pin<Box<Sleep>>>,
    /// While the peer may still send, once this half is closed.
    closing: Option<Pin<Box<Sleep>>>,
}

impl<I> TimeoutIo<I> {
    pub(in crate::transport::http) fn new(
        io: I,
        write_timeout: Duration,
        activity: Arc<Activity>,
    ) -> Self {
        Self {
            io,
            activity,
            write_timeout,
            stalled: None,
            closing: None,
        }
    }

    /// Returns the outcome of a write, or fails once the peer has not read for too long.
    fn written<T>(
        &mut self,
        outcome: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            self.activity.note();
            return outcome;
        }
        let timeout = self.write_timeout;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<I: Read + Unpin> TimeoutIo<I> {
    /// Drops what comes until the peer closes its half, or takes too long for it.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let late = self.closing.as_mut();
        if late.is_none_or(|late| late.as_mut().poll(cx).is_ready()) {
            return Poll::Ready(());
        }
        let mut bytes = [0; 4096];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.io).poll_read(cx, buffer.unfilled()));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl<I: Read + Unpin> Read for TimeoutIo<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let outcome = ready!(Pin::new(&mut self.io).poll_read(cx, buffer));
        self.activity.note();
        Poll::Ready(outcome)
    }
}

impl<I: Read + Write + Unpin> Write for TimeoutIo<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.written(outcome, cx)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
            self.closing = Some(Box::pin(tokio::time::sleep(HALF_CLOSE_TIMEOUT)));
        }
        self.poll_end(cx).map(Ok)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.io).poll_write_vectored(cx, parts);
        self.written(outcome, cx)
    }
}

/// Activity of a connection.
#[derive(Debug, Default)]
pub(in crate::transport::http) struct Activity {
    /// Number of reads and writes.
    noted: AtomicUsize,
    /// Requests whose answer has not begun.
    open: AtomicUsize,
    /// Whether the connection is known to speak HTTP/2.
    http2: AtomicBool,
}

impl Activity {
    fn note(&self) {
        self.noted.fetch_add(1, Ordering::Relaxed);
    }

    pub(in crate::transport::http) fn note_http2(&self) {
        self.http2.store(true, Ordering::Relaxed);
    }

    pub(in crate::transport::http) fn is_http2(&self) -> bool {
        self.http2.load(Ordering::Relaxed)
    }

    /// Counts a request until the guard is dropped.
    pub(in crate::transport::http) fn begin(self: &Arc<Self>) -> Busy {
        self.open.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// Waits until nothing was read, written or served for `timeout`.
    pub(in crate::transport::http) async fn idle(&self, timeout: Duration) {
        loop {
            let before = self.noted.load(Ordering::Relaxed);
            tokio::time::sleep(timeout).await;
            let quiet = self.noted.load(Ordering::Relaxed) == before;
            if quiet && self.open.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
    }
}

/// A request that is being served.
pub(in crate::transport::http) struct Busy(Arc<Activity>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

    use super::*;

    const IDLE: Duration = Duration::from_secs(30);

    fn timeout_io() -> (DuplexStream, TimeoutIo<TokioIo<DuplexStream>>) {
        let (theirs, ours) = tokio::io::duplex(16);
        let ours = TimeoutIo::new(TokioIo::new(ours), 2 * IDLE, Arc::default());
        (theirs, ours)
    }

    async fn write(io: &mut TimeoutIo<TokioIo<DuplexStream>>) -> io::Result<usize> {
        poll_fn(|cx| Pin::new(&mut *io).poll_write(cx, &[0; 16])).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_does_not_read_is_given_up() {
        let (_theirs, mut ours) = timeout_io();
        let start = tokio::time::Instant::now();
        assert_eq!(write(&mut ours).await.unwrap(), 16);
        let failed = write(&mut ours).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed().as_secs(), 2 * IDLE.as_secs());

        let (mut theirs, mut ours) = timeout_io();
        for _ in 0..3 {
            assert_eq!(write(&mut ours).await.unwrap(), 16);
            tokio::time::sleep(IDLE).await;
            theirs.read_exact(&mut [0; 16]).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_connection_is_read_to_the_end_but_not_for_ever() {
        let close = async |io: &mut TimeoutIo<TokioIo<DuplexStream>>| {
            poll_fn(|cx| Pin::new(&mut *io).poll_shutdown(cx)).await
        };
        let (mut theirs, mut ours) = timeout_io();
        let start = tokio::time::Instant::now();
        let says_on = async {
            theirs.write_all(&[0; 10_000]).await.unwrap();
            drop(theirs);
        };
        tokio::join!(close(&mut ours), says_on).0.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);

        let says_on_for_ever = async |theirs: &mut DuplexStream| {
            while theirs.write_all(&[0; 16]).await.is_ok() {
                tokio::time::sleep(HALF_CLOSE_TIMEOUT / 10).await;
            }
        };
        let (mut theirs, mut ours) = timeout_io();
        let closed = tokio::select! {
            closed = close(&mut ours) => closed,
            () = says_on_for_ever(&mut theirs) => unreachable!(),
        };
        closed.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_when_nothing_is_said_or_served() {
        let activity = Arc::new(Activity::default());
        let busy = activity.begin();
        let waits = tokio::time::timeout(10 * IDLE, activity.idle(IDLE));
        assert!(waits.await.is_err());
        drop(busy);
        activity.note();
        let waits = tokio::time::timeout(2 * IDLE, activity.idle(IDLE));
        assert!(waits.await.is_ok());
    }
}
