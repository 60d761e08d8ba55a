//! Standard streams that are pipes, opened anew so that they can be non-blocking, or sockets.
//!
//! A server's time for a small call is 4 µs this way and 50 µs and more through tokio's blocking
//! pool. Pipes are opened a second time instead of being switched to non-blocking, because that
//! flag would also change them for every process that shares them.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

use super::pipe::PipeSender;
use super::shared::SharedSocket;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) fn input() -> Input {
    if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        return Box::new(pipe);
    }
    match SharedSocket::of(&std::io::stdin()) {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdin()),
    }
}

pub(super) fn output() -> Output {
    if let Some(pipe) = PipeSender::open("/proc/self/fd/1") {
        return Box::new(pipe);
    }
    match SharedSocket::of(&std::io::stdout()) {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    }
}
