//! Standard streams that are pipes, opened anew so that they can be non-blocking.
//!
//! A server's time for a small call is 4 µs this way and 50 µs and more through tokio's blocking
//! pool. The streams are opened a second time instead of being switched to non-blocking, because
//! that flag would also change them for every process that shares them.

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

pub(super) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Output = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) fn input() -> Input {
    match pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        Ok(pipe) => Box::new(pipe),
        Err(_) => Box::new(tokio::io::stdin()),
    }
}

pub(super) fn output() -> Output {
    match pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
        Ok(pipe) => Box::new(pipe),
        Err(_) => Box::new(tokio::io::stdout()),
    }
}
