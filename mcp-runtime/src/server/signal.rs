//! Shutdown on signals of the operating system.

#[cfg_attr(all(feature = "signal", unix), path = "signal/unix.rs")]
#[cfg_attr(all(feature = "signal", not(unix)), path = "signal/ctrl_c.rs")]
#[cfg_attr(not(feature = "signal"), path = "signal/none.rs")]
mod platform;

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::connection::Peer;

pub(super) use platform::Signals;

/// Ends a server on signals, in a task of its own, so that the connection's loop does not poll them
/// with each message. Dropping this ends the task.
pub(super) struct SignalHandler {
    task: AbortHandle,
    /// The number of signals so far.
    received: watch::Receiver<usize>,
}

impl SignalHandler {
    pub(super) fn new(signals: Signals, peer: Peer) -> Self {
        let (sender, received) = watch::channel(0);
        let task = tokio::spawn(handle(signals, peer, sender)).abort_handle();
        Self { task, received }
    }

    /// Waits for another signal.
    pub(super) async fn next(&mut self) {
        self.received.mark_unchanged();
        if self.received.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for SignalHandler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Shuts down on the first signal, aborts on the second.
async fn handle(mut signals: Signals, peer: Peer, received: watch::Sender<usize>) {
    loop {
        signals.next().await;
        match *received.borrow() {
            0 => {
                tracing::info!("shutting down on a signal");
                peer.shut_down();
            }
            _ => peer.abort(),
        }
        received.send_modify(|count| *count += 1);
    }
}
