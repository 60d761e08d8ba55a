//! Standard streams on Unix: pipes and sockets are read and written without blocking a thread.
//!
//! On Linux, a pipe is opened a second time through `/proc`, because switching the original
//! descriptor to non-blocking mode would affect every process that shares it. A socket, which
//! Node.js gives to its children, can't be opened again, so it stays blocking and each operation
//! sets `MSG_DONTWAIT`. Terminals and files can only be read and written by blocking, so a thread
//! copies between the stream and a pipe that tokio can poll.
//!
//! Standard output is redirected to standard error while a server uses the streams.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread;

use socket2::{Socket, Type};
use stdio_utils::{Guard, StdioOverride as _};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) fn input() -> io::Result<Input> {
    if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        return Ok(Box::new(pipe));
    }
    let stream = io::stdin();
    Ok(match SharedSocket::new(&stream) {
        Some(socket) => Box::new(socket),
        None => Box::new(BlockingStream::reader(&stream)?),
    })
}

pub(super) fn output() -> io::Result<Output> {
    if let Ok(pipe) = pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
        return Ok(Box::new(pipe));
    }
    let stream = io::stdout();
    Ok(match SharedSocket::new(&stream) {
        Some(socket) => Box::new(socket),
        None => Box::new(BlockingStream::writer(&stream)?),
    })
}

/// A blocking socket that other processes may share.
#[derive(Debug)]
struct SharedSocket(AsyncFd<Socket>);

impl SharedSocket {
    /// Registers `stream` with tokio if it is a stream socket.
    fn new(stream: &impl AsFd) -> Option<Self> {
        let socket = Socket::from(stream.as_fd().try_clone_to_owned().ok()?);
        // Asking other files for a socket type fails.
        let is_stream = socket.r#type().is_ok_and(|kind| kind == Type::STREAM);
        #[expect(
            deprecated,
            reason = "its replacement is unsafe because of types that release their descriptor, which sockets do not"
        )]
        let registered = is_stream.then(|| AsyncFd::new(socket).ok()).flatten();
        registered.map(Self)
    }
}

/// Reads without blocking; fails with `WouldBlock` if nothing has arrived.
fn read_now(mut socket: &Socket, buffer: &mut [u8]) -> io::Result<usize> {
    // Peeking fails if reading would block.
    let mut first = [MaybeUninit::uninit()];
    socket.recv_with_flags(&mut first, libc::MSG_PEEK | libc::MSG_DONTWAIT)?;
    socket.read(buffer)
}

impl AsyncRead for SharedSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(cx))?;
            let unfilled = buf.initialize_unfilled();
            if let Ok(read) = ready.try_io(|socket| read_now(socket.get_ref(), unfilled)) {
                return Poll::Ready(read.map(|count| buf.advance(count)));
            }
        }
    }
}

impl AsyncWrite for SharedSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            let send = |socket: &Socket| socket.send_with_flags(bytes, libc::MSG_DONTWAIT);
            if let Ok(written) = ready.try_io(|socket| send(socket.get_ref())) {
                return Poll::Ready(written);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Leaves the socket open for the processes that share it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// A redirection of standard output to standard error that ends when it is dropped.
pub(super) struct Redirect {
    /// Restores standard output when it is dropped. Child processes do not inherit its descriptor.
    _guard: Guard,
}

/// Redirects standard output to standard error.
///
/// # Errors
///
/// When no file descriptor is left, or buffered output can't be written.
pub(super) fn redirect() -> io::Result<Redirect> {
    io::stdout().flush()?;
    let guard = io::stderr().override_stdout()?;
    Ok(Redirect { _guard: guard })
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // Text without a line break also goes to standard error. If standard error can't be
        // written, the text is lost.
        let _ = io::stdout().flush();
    }
}

/// A stream that a thread reads or writes, through a pipe that tokio can poll.
#[derive(Debug)]
struct BlockingStream<P> {
    /// `None` once the pipe is closed for writing.
    pipe: Option<P>,
    /// `None` once the outcome is known.
    copied: Option<oneshot::Receiver<io::Result<()>>>,
}

impl BlockingStream<pipe::Receiver> {
    /// Spawns a thread that reads `stream`.
    ///
    /// # Errors
    ///
    /// When the operating system has no thread or no pipe left.
    fn reader(stream: &impl AsFd) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            pipe: Some(pipe::Receiver::from_owned_fd(reader.into())?),
            copied: Some(spawn_copy(duplicate(stream)?, writer.into())?),
        })
    }
}

impl BlockingStream<pipe::Sender> {
    /// Spawns a thread that writes to `stream`.
    ///
    /// # Errors
    ///
    /// When the operating system has no thread or no pipe left.
    fn writer(stream: &impl AsFd) -> io::Result<Self> {
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

/// Spawns a thread that copies from `from` to `to` until the end, and sends the outcome.
fn spawn_copy(from: OwnedFd, to: OwnedFd) -> io::Result<oneshot::Receiver<io::Result<()>>> {
    let (done, copied) = oneshot::channel();
    thread::Builder::new()
        .name("stdio".to_owned())
        .spawn(move || {
            let mut from = File::from(from);
            let mut to = File::from(to);
            // A trait object keeps `io::copy` from copying in the kernel, where signals are errors.
            let outcome = io::copy(&mut from as &mut dyn Read, &mut to).map(|_| ());
            // The receiver is gone if the connection has already ended.
            let _ = done.send(outcome);
        })?;
    Ok(copied)
}

impl<P> BlockingStream<P> {
    /// Waits for the thread to end.
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
            // The thread has ended; its outcome tells why.
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
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn only_sockets_are_taken_for_sockets() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert!(SharedSocket::new(&file).is_none());
        let (reader, _writer) = io::pipe().unwrap();
        assert!(SharedSocket::new(&reader).is_none());
    }

    #[tokio::test]
    async fn a_blocking_socket_never_blocks_and_stays_blocking() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut socket = SharedSocket::new(&ours).unwrap();
        let mut buffer = [0; 8];
        let nothing = tokio::time::timeout(std::time::Duration::ZERO, socket.read(&mut buffer));
        assert!(nothing.await.is_err());
        theirs.write_all(b"hello").unwrap();
        assert_eq!(socket.read(&mut buffer).await.unwrap(), 5);

        // Writes fill the socket's buffer and then wait.
        let full = async { while socket.write(&[0; 4096]).await.is_ok() {} };
        let full = tokio::time::timeout(std::time::Duration::from_millis(10), full);
        assert!(full.await.is_err());
        assert!(!Socket::from(ours).nonblocking().unwrap());

        drop(theirs);
        assert_eq!(socket.read(&mut buffer).await.unwrap_or(0), 0);
    }

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
