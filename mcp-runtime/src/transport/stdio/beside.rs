//! Streams that can only be waited for by blocking, such as terminals and files: a thread beside
//! the program copies between the stream and a pipe, which can be waited for.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

/// This side's end of the pipe, and what comes of the copying.
#[derive(Debug)]
pub(super) struct Beside<P> {
    /// None once everything has been written to it.
    pipe: Option<P>,
    /// None once it is known.
    copied: Option<oneshot::Receiver<io::Result<()>>>,
}

impl Beside<pipe::Receiver> {
    /// Reads `stream`.
    ///
    /// # Errors
    ///
    /// When the operating system has no thread or no pipe left.
    pub(super) fn reading(stream: &impl AsFd) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            pipe: Some(pipe::Receiver::from_owned_fd(reader.into())?),
            copied: Some(copying(
                stream.as_fd().try_clone_to_owned()?,
                writer.into(),
            )?),
        })
    }
}

impl Beside<pipe::Sender> {
    /// Writes to `stream`.
    ///
    /// # Errors
    ///
    /// When the operating system has no thread or no pipe left.
    pub(super) fn writing(stream: &impl AsFd) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            pipe: Some(pipe::Sender::from_owned_fd(writer.into())?),
            copied: Some(copying(
                reader.into(),
                stream.as_fd().try_clone_to_owned()?,
            )?),
        })
    }
}

/// Copies everything in a thread, and tells what came of it.
fn copying(from: OwnedFd, to: OwnedFd) -> io::Result<oneshot::Receiver<io::Result<()>>> {
    let (done, copied) = oneshot::channel();
    thread::Builder::new()
        .name("stdio".to_owned())
        .spawn(move || {
            let outcome = copy(&mut File::from(from), &mut File::from(to));
            // Nobody listens any more when the connection has ended otherwise.
            let _ = done.send(outcome);
        })?;
    Ok(copied)
}

fn copy(from: &mut File, to: &mut File) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => to.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl<P> Beside<P> {
    /// Waits until everything is copied.
    fn poll_copied(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(copied) = &mut self.copied else {
            return Poll::Ready(Ok(()));
        };
        let outcome = ready!(Pin::new(copied).poll(cx));
        self.copied = None;
        Poll::Ready(outcome.unwrap_or(Ok(())))
    }
}

impl AsyncRead for Beside<pipe::Receiver> {
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

impl AsyncWrite for Beside<pipe::Sender> {
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
            // The thread has ended, and knows why.
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
        let path = std::env::temp_dir().join(format!("mcp-beside-{}", std::process::id()));
        let text = vec![b'x'; 200_000];
        let mut writing = Beside::writing(&File::create(&path).unwrap()).unwrap();
        writing.write_all(&text).await.unwrap();
        writing.shutdown().await.unwrap();

        let mut found = Vec::new();
        let mut reading = Beside::reading(&File::open(&path).unwrap()).unwrap();
        reading.read_to_end(&mut found).await.unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(found == text, "{} bytes", found.len());
        assert_eq!(reading.read(&mut [0; 8]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn what_went_wrong_is_told() {
        let folder = File::open(std::env::temp_dir()).unwrap();
        let mut reading = Beside::reading(&folder).unwrap();
        let error = reading.read(&mut [0; 8]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);

        let null = OpenOptions::new().read(true).open("/dev/null").unwrap();
        let mut writing = Beside::writing(&null).unwrap();
        // Whether the first sign of it comes now or at the end depends on the thread.
        let outcome = match writing.write(b"to where nothing can be written").await {
            Ok(_) => writing.shutdown().await,
            Err(error) => Err(error),
        };
        assert_eq!(outcome.unwrap_err().raw_os_error(), Some(libc::EBADF));
    }
}
