//! The signals that shut a server down: SIGTERM and SIGINT on Unix, Ctrl-C elsewhere. Without the
//! feature `signal` they are left to the program.

use std::future::pending;
use std::io;

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::connection::Peer;

/// The signals that end a server.
pub(super) trait SignalSource: Send + 'static {
    /// Waits for the next signal; forever if none can come.
    fn next(&mut self) -> impl Future<Output = ()> + Send;
}

/// Ends a server on signals, in a task of its own, so that the connection's loop does not poll them
/// with each message. Dropping this ends the task.
pub(super) struct SignalHandler {
    task: AbortHandle,
    received: watch::Receiver<usize>,
}

impl SignalHandler {
    /// Shuts the server of `peer` down on the first signal, and aborts it on all further ones.
    pub(super) fn new(peer: Peer, mut signals: impl SignalSource) -> Self {
        let (count, received) = watch::channel(0);
        let task = tokio::spawn(async move {
            loop {
                signals.next().await;
                // Two signals are told apart by their number: who looks late has missed none.
                count.send_modify(|count| *count += 1);
                if *count.borrow() == 1 {
                    tracing::info!("shutting down on a signal");
                    peer.shut_down();
                } else {
                    peer.abort();
                }
            }
        });
        Self {
            task: task.abort_handle(),
            received,
        }
    }

    /// Waits until there were two signals.
    pub(super) async fn second(&self) {
        let mut received = self.received.clone();
        if received.wait_for(|count| *count > 1).await.is_err() {
            pending::<()>().await;
        }
    }
}

impl Drop for SignalHandler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(all(feature = "signal", unix))]
pub(super) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(all(feature = "signal", unix))]
impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

#[cfg(all(feature = "signal", unix))]
impl SignalSource for Signals {
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(all(feature = "signal", unix)))]
pub(super) struct Signals;

#[cfg(not(all(feature = "signal", unix)))]
impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }
}

#[cfg(all(feature = "signal", not(unix)))]
impl SignalSource for Signals {
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    }
}

#[cfg(not(feature = "signal"))]
impl SignalSource for Signals {
    async fn next(&mut self) {
        pending::<()>().await;
    }
}
