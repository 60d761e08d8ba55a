//! Shutdown on signals of the operating system.

#[cfg_attr(all(feature = "signal", unix), path = "signal/unix.rs")]
#[cfg_attr(all(feature = "signal", not(unix)), path = "signal/ctrl_c.rs")]
#[cfg_attr(not(feature = "signal"), path = "signal/none.rs")]
mod platform;

use std::io;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use self::platform::Signals;
use crate::connection::Peer;

/// Ends a server on signals, in a task of its own, so that the connection's loop does not poll them
/// with each message. Dropping this ends the task.
pub(super) struct SignalHandler {
    task: AbortHandle,
    received: Arc<Notify>,
}

impl SignalHandler {
    /// Shuts the server of `peer` down on the first signal, and aborts it on all further ones.
    ///
    /// # Errors
    ///
    /// When the system does not deliver signals.
    pub(super) fn listen(peer: Peer) -> io::Result<Self> {
        let mut signals = Signals::listen()?;
        let received = Arc::new(Notify::new());
        let notified = Arc::clone(&received);
        let task = tokio::spawn(async move {
            signals.next().await;
            tracing::info!("shutting down on a signal");
            peer.shut_down();
            loop {
                notified.notify_waiters();
                signals.next().await;
                peer.abort();
            }
        });
        Ok(Self {
            task: task.abort_handle(),
            received,
        })
    }

    /// Waits for another signal.
    pub(super) async fn next(&self) {
        self.received.notified().await;
    }
}

impl Drop for SignalHandler {
    fn drop(&mut self) {
        self.task.abort();
    }
}
