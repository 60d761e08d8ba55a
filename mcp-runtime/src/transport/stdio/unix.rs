//! Standard streams that are sockets, or whatever tokio's blocking pool serves.

use tokio::io::{AsyncRead, AsyncWrite};

use super::shared::SharedSocket;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) fn input() -> Input {
    match SharedSocket::of(&std::io::stdin()) {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdin()),
    }
}

pub(super) fn output() -> Output {
    match SharedSocket::of(&std::io::stdout()) {
        Some(socket) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    }
}
