//! Ctrl-C, on systems without Unix signals.

use std::io;

use super::serving::SignalSource;

pub(super) struct Signals;

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }
}

impl SignalSource for Signals {
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
