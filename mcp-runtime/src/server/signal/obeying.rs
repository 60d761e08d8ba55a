//! What signals do to a server at work.

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::Signals;
use crate::driver::Peer;

/// Waits for signals beside a server, and tells it to end.
///
/// In a task of its own, which is only looked at when there is a signal; beside the driver it would
/// be each time that a message comes, at 600 instructions a call. Dropping this ends the task.
pub(in crate::server) struct Obeying {
    task: JoinHandle<Signals>,
    stop: oneshot::Sender<()>,
}

impl Obeying {
    pub(in crate::server) fn new(mut signals: Signals, peer: Peer) -> Self {
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            tokio::select! {
                () = obey(&mut signals, &peer) => {}
                _ = stopped => {}
            }
            signals
        });
        Self { task, stop }
    }

    /// Gives back the signals, of which some may wait; `None` if the runtime is being shut down.
    pub(in crate::server) async fn stop(self) -> Option<Signals> {
        drop(self.stop);
        self.task.await.ok()
    }
}

/// The first signal asks for the end, the second one insists.
async fn obey(signals: &mut Signals, peer: &Peer) {
    signals.next().await;
    tracing::info!("shutting down on a signal");
    peer.shut_down();
    signals.next().await;
    peer.abort();
    std::future::pending::<()>().await;
}

/// Waits for the next signal, if there are any.
pub(in crate::server) async fn next(signals: &mut Option<Signals>) {
    match signals {
        Some(signals) => signals.next().await,
        None => std::future::pending().await,
    }
}
