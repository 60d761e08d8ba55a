//! What signals do to a server at work.

use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::Signals;
use crate::connection::Peer;
use crate::server::task;

/// Waits for signals beside a server, and tells it to end.
///
/// In a task of its own, which is only looked at when there is a signal; beside the driver it would
/// be each time that a message comes, at 600 instructions a call. Dropping this ends the task.
pub(in crate::server) struct Obeying {
    task: AbortHandle,
    /// How many signals there were.
    heard: watch::Receiver<usize>,
}

impl Obeying {
    pub(in crate::server) fn new(signals: Signals, peer: Peer) -> Self {
        let (hear, heard) = watch::channel(0);
        let task = task::begin(Box::pin(obey(signals, peer, hear)));
        Self { task, heard }
    }
}

/// Waits for one more signal than there were until now, if there are any.
pub(in crate::server) async fn one_more(obeying: &mut Option<Obeying>) {
    if let Some(Obeying { heard, .. }) = obeying {
        heard.mark_unchanged();
        if heard.changed().await.is_ok() {
            return;
        }
    }
    std::future::pending::<()>().await;
}

impl Drop for Obeying {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The first signal asks for the end, the second one insists.
async fn obey(mut signals: Signals, peer: Peer, heard: watch::Sender<usize>) {
    loop {
        signals.next().await;
        match *heard.borrow() {
            0 => {
                tracing::info!("shutting down on a signal");
                peer.shut_down();
            }
            _ => peer.abort(),
        }
        heard.send_modify(|heard| *heard += 1);
    }
}
