//! Waits for Ctrl-C, which ends the command.

use std::io;

use tokio::signal::ctrl_c;

use crate::failure::SIGINT;

pub(crate) struct Signals;

impl Signals {
    /// Does nothing, unlike on Unix, where registering the signals may fail.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for Ctrl-C, and returns the number of its signal.
    pub(crate) async fn next(&mut self) -> u8 {
        // If waiting fails, the command ends as well.
        let _ = ctrl_c().await;
        SIGINT
    }
}
