//! Asynchronous access to terminals and files, which can only be read and written by blocking: a
//! thread of its own copies between the stream and a pipe that tokio can poll.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

/// One end of the pipe, and the outcome of the thread that copies from or to its other end.
#[derive(Debug)]
pub(super) struct BlockingStream<P> {
    /// `None` once the pipe is closed for writing.
    pipe: Option<P>,
    /// `None` once the outcome is known.
    copied: Option<oneshot::Receiver<io::Result<()>>>,
}

impl BlockingStream<pipe::Receiver> {
    /// Reads `stream`.
    ///
    /// # Errors
    ///
    /// When the operating system has no thread or no pipe left.
    pub(super) fn reader(stream: &impl AsFd) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            pipe: Some(pipe::Receiver::from_owned_fd(reader.into())?),
            copied: Some(spawn_copy(duplicate(stream)?, writer.into())?),
        })
    }
}

impl BlockingStream<pipe::Sender> {
    /// Writes to `stream`.
    ///
    /// # Errors
    ///
    /// When the operating system has no thread or no pipe left.
    pub(super) fn writer(stream: &impl AsFd) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            pipe: Some(pipe::Sender::from_owned_fd(writer.into())?),
            copied: Some(spawn_copy(reader.into(), duplicate(stream)?)?),
        })
    }
}

fn duplicate(stream: &impl AsFd) -> io::Result<OwnedFd> {
    stream.as_fd().try_clone_to_owned()
}

/// Copies until the end of `from` in a thread, and sends the outcome.
fn spawn_copy(from: OwnedFd, to: OwnedFd) -> io::Result<oneshot::Receiver<io::Result<()>>> {
    let (done, copied) = oneshot::channel();
    thread::Builder::new()
        .name("stdio".to_owned())
        .spawn(move || {
            let mut from = File::from(from);
            let mut to = File::from(to);
            // As a trait object: between two files, the kernel copies, and signals are errors.
            let outcome = io::copy(&mut from as &mut dyn Read, &mut to).map(|_| ());
            // The receiver is gone if the connection has ended otherwise.
            let _ = done.send(outcome);
        })?;
    Ok(copied)
}

impl<P> BlockingStream<P> {
    /// Waits for the end of the thread.
    fn poll_copied(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(copied) = &mut self.copied else {
            return Poll::Ready(Ok(()));
        };
        let outcome = ready!(Pin::new(copied).poll(cx));
        self.copied = None;
        Poll::Ready(outcome.unwrap_or(Ok(())))
    }
}

impl AsyncRead for BlockingStream<pipe::Receiver> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        if let Some(pipe) = &mut self.pipe {
            ready!(Pin::new(pipe).poll_read(cx, buf))?;
        }
        match buf.filled().len() {
            after if after == before => self.poll_copied(cx),
            _ => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for BlockingStream<pipe::Sender> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Some(pipe) = &mut self.pipe else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        let written = ready!(Pin::new(pipe).poll_write(cx, bytes));
        if written.is_err() {
            // The thread has ended, with the cause.
            ready!(self.poll_copied(cx))?;
        }
        Poll::Ready(written)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pipe = None;
        self.poll_copied(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn what_is_written_can_be_read_again() {
        let path = std::env::temp_dir().join(format!("mcp-blocking-{}", std::process::id()));
        let text = vec![b'x'; 200_000];
        let mut writing = BlockingStream::writer(&File::create(&path).unwrap()).unwrap();
        writing.write_all(&text).await.unwrap();
        writing.shutdown().await.unwrap();

        let mut found = Vec::new();
        let mut reading = BlockingStream::reader(&File::open(&path).unwrap()).unwrap();
        reading.read_to_end(&mut found).await.unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(found == text, "{} bytes", found.len());
        assert_eq!(reading.read(&mut [0; 8]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn an_error_of_the_stream_is_returned() {
        let folder = File::open(std::env::temp_dir()).unwrap();
        let mut reading = BlockingStream::reader(&folder).unwrap();
        let error = reading.read(&mut [0; 8]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);

        let null = OpenOptions::new().read(true).open("/dev/null").unwrap();
        let mut writing = BlockingStream::writer(&null).unwrap();
        // The thread may fail before or after the first write.
        let outcome = match writing.write(b"to where nothing can be written").await {
            Ok(_) => writing.shutdown().await,
            Err(error) => Err(error),
        };
        assert_eq!(outcome.unwrap_err().raw_os_error(), Some(libc::EBADF));
    }
}
