//! Standard streams that are sockets, or else are left to a thread.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use super::beside::Beside;
use super::shared::SharedSocket;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) fn input() -> io::Result<Input> {
    let stream = io::stdin();
    Ok(match SharedSocket::of(&stream) {
        Some(socket) => Box::new(socket),
        None => Box::new(Beside::reading(&stream)?),
    })
}

pub(super) fn output() -> io::Result<Output> {
    let stream = io::stdout();
    Ok(match SharedSocket::of(&stream) {
        Some(socket) => Box::new(socket),
        None => Box::new(Beside::writing(&stream)?),
    })
}
