//! No signals: without the feature `signal` they are left to the program.

use std::future::pending;
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
        pending::<()>().await;
    }
}
