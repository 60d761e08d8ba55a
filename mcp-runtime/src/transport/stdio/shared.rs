//! A socket that other processes may hold as well, as Node.js gives them to its children.
//!
//! It can't be opened anew as a pipe can, and must not be switched to non-blocking. So it stays
//! blocking, and each operation says for itself that it does not want to wait.

use std::io::{self, IoSlice, Read};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use socket2::{Socket, Type};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One direction of such a socket.
#[derive(Debug)]
pub(super) struct SharedSocket(AsyncFd<Socket>);

impl SharedSocket {
    /// The socket that `stream` is, if it is one.
    pub(super) fn of(stream: &impl AsFd) -> Option<Self> {
        let socket = Socket::from(stream.as_fd().try_clone_to_owned().ok()?);
        // What is no socket has no type.
        let is_stream = socket.r#type().is_ok_and(|kind| kind == Type::STREAM);
        #[expect(
            deprecated,
            reason = "its successor is unsafe, for types that let go of their descriptor: no socket does"
        )]
        let registered = is_stream.then(|| AsyncFd::new(socket).ok()).flatten();
        registered.map(Self)
    }
}

/// Reads what is there already.
fn read_now(mut socket: &Socket, buffer: &mut [u8]) -> io::Result<usize> {
    // A look at the first byte tells whether reading would wait.
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
            match ready.try_io(|socket| read_now(socket.get_ref(), unfilled)) {
                Ok(Ok(count)) => {
                    buf.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_would_wait) => {}
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
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            let send = |it: &Socket| it.send_vectored_with_flags(parts, libc::MSG_DONTWAIT);
            match ready.try_io(|socket| send(socket.get_ref())) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(outcome) => return Poll::Ready(outcome),
                Err(_would_wait) => {}
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Leaves the socket open: whoever shares it may not be done with it.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn only_sockets_are_taken_for_sockets() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert!(SharedSocket::of(&file).is_none());
        let (reader, _writer) = io::pipe().unwrap();
        assert!(SharedSocket::of(&reader).is_none());
    }

    #[tokio::test]
    async fn a_blocking_socket_never_blocks_and_stays_blocking() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut socket = SharedSocket::of(&ours).unwrap();
        let mut buffer = [0; 8];
        let nothing = tokio::time::timeout(std::time::Duration::ZERO, socket.read(&mut buffer));
        assert!(nothing.await.is_err());
        theirs.write_all(b"hello").unwrap();
        assert_eq!(socket.read(&mut buffer).await.unwrap(), 5);

        // As much as there is room for, and no more.
        let full = async { while socket.write(&[0; 4096]).await.is_ok() {} };
        let full = tokio::time::timeout(std::time::Duration::from_millis(10), full);
        assert!(full.await.is_err());
        assert!(!Socket::from(ours).nonblocking().unwrap());

        drop(theirs);
        assert_eq!(socket.read(&mut buffer).await.unwrap_or(0), 0);
    }
}
