//! Ctrl-C, which ends the command.

use std::io;

use tokio::signal::ctrl_c;

use crate::failure::SIGINT;

/// The source of Ctrl-C.
pub(crate) struct Signals;

impl Signals {
    /// Nothing is needed here.
    ///
    /// # Errors
    ///
    /// None.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for Ctrl-C, and returns the number of its signal.
    pub(crate) async fn next(&mut self) -> u8 {
        // An error is taken for it.
        let _ = ctrl_c().await;
        SIGINT
    }
}
