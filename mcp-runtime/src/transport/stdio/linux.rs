//! Standard streams that are pipes, opened anew so that they can be non-blocking, or sockets.
//!
//! A server's time for a small call is 4 µs this way, and 50 µs and more where a thread stands
//! between. Pipes are opened a second time instead of being switched to non-blocking, because that
//! flag would also change them for every process that shares them.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

use super::beside::Beside;
use super::pipe::PipeSender;
use super::shared::SharedSocket;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) fn input() -> io::Result<Input> {
    if let Ok(pipe) = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        return Ok(Box::new(pipe));
    }
    let stream = io::stdin();
    Ok(match SharedSocket::of(&stream) {
        Some(socket) => Box::new(socket),
        None => Box::new(Beside::reading(&stream)?),
    })
}

pub(super) fn output() -> io::Result<Output> {
    if let Some(pipe) = PipeSender::open("/proc/self/fd/1") {
        return Ok(Box::new(pipe));
    }
    let stream = io::stdout();
    Ok(match SharedSocket::of(&stream) {
        Some(socket) => Box::new(socket),
        None => Box::new(Beside::writing(&stream)?),
    })
}
