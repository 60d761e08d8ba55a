//! Ctrl-C, on systems without Unix signals.

use std::io;

pub(in crate::server) struct Signals;

impl Signals {
    pub(in crate::server) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next Ctrl-C; forever if the system can't deliver it.
    pub(in crate::server) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
