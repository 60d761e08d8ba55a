//! Ctrl-C, where there is nothing else.

use std::io;

pub(in crate::server) struct Signals;

impl Signals {
    pub(in crate::server) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next request to end; forever where it can't be known.
    pub(in crate::server) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
