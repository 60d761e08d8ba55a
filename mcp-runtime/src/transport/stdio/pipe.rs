//! A pipe to write to, which this process has opened for itself.
//!
//! Like tokio's, but for one thing: once it has taken only a part of several slices, it is known to
//! be full, and not asked again before there is room. With lists of fifty tools, sixteen in flight,
//! which fill it each time, that saves a third of the system calls.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Write};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncWrite, Interest};

/// The end of a pipe that is written to.
#[derive(Debug)]
pub(super) struct PipeSender(AsyncFd<File>);

impl PipeSender {
    /// Opens the pipe under `path`, if there is one.
    pub(super) fn open(path: &str) -> Option<Self> {
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(libc::O_NONBLOCK);
        let file = options.open(path).ok()?;
        if !file.metadata().ok()?.file_type().is_fifo() {
            return None;
        }
        #[expect(
            deprecated,
            reason = "its successor is unsafe, for types that let go of their descriptor: no file does"
        )]
        let registered = AsyncFd::with_interest(file, Interest::WRITABLE);
        registered.ok().map(Self)
    }
}

impl AsyncWrite for PipeSender {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all: usize = parts.iter().map(|part| part.len()).sum();
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            match ready.get_inner().write_vectored(parts) {
                Ok(count) => {
                    if count < all {
                        ready.clear_ready();
                    }
                    return Poll::Ready(Ok(count));
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => ready.clear_ready(),
                    io::ErrorKind::Interrupted => {}
                    _ => return Poll::Ready(Err(error)),
                },
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::Read;
    use std::os::fd::AsRawFd;

    use super::*;

    fn sender(to: &impl AsRawFd) -> Option<PipeSender> {
        PipeSender::open(&format!("/proc/self/fd/{}", to.as_raw_fd()))
    }

    fn write(pipe: &mut PipeSender, cx: &mut Context<'_>, parts: &[Vec<u8>]) -> Poll<usize> {
        let parts: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
        let written = Pin::new(pipe).poll_write_vectored(cx, &parts);
        written.map(Result::unwrap)
    }

    #[tokio::test]
    async fn a_pipe_that_is_full_is_written_to_once_there_is_room() {
        let (mut theirs, ours) = io::pipe().unwrap();
        let mut pipe = sender(&ours).unwrap();
        let parts = [vec![b'a'; 50_000], vec![b'b'; 50_000]];
        let taken = poll_fn(|cx| write(&mut pipe, cx, &parts)).await;
        assert!((1..100_000).contains(&taken), "{taken}");
        let asked_again = poll_fn(|cx| Poll::Ready(write(&mut pipe, cx, &parts))).await;
        assert!(asked_again.is_pending());

        let mut seen = vec![0; taken];
        theirs.read_exact(&mut seen).unwrap();
        assert!(parts.concat().starts_with(&seen));
        let more = poll_fn(|cx| write(&mut pipe, cx, &parts)).await;
        assert!(more > 0);

        drop(theirs);
        let gone = poll_fn(|cx| Pin::new(&mut pipe).poll_write(cx, b"c")).await;
        assert_eq!(gone.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn only_pipes_are_taken_for_pipes() {
        let null = OpenOptions::new().write(true).open("/dev/null").unwrap();
        assert!(sender(&null).is_none());
    }
}
