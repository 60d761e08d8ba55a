//! No signals: without the feature `signal` they are left to the program.

use std::future::pending;
use std::io;

pub(in crate::server) struct Signals;

impl Signals {
    pub(in crate::server) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Never returns.
    pub(in crate::server) async fn next(&mut self) {
        pending::<()>().await;
    }
}
