//! The task that sends what the client says, in order.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::RequestId;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{AbortHandle, JoinSet};

use super::outgoing::{Kind, Outgoing};
use super::remote::{Lost, Remote};

/// Sends messages until there are no more, or the server is gone.
///
/// A request is awaited by a task of its own. Anything else is waited for, so that the server has
/// it before what is said next.
pub(super) async fn run(remote: Arc<Remote>, mut lines: UnboundedReceiver<Vec<u8>>) {
    let mut tasks = JoinSet::new();
    let mut in_flight: HashMap<RequestId, AbortHandle> = HashMap::new();
    loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            Some(done) = tasks.join_next(), if !tasks.is_empty() => match done {
                Ok(Err(Lost)) => break,
                _ => continue,
            },
        };
        let Some(line) = line else {
            break;
        };
        let Some(outgoing) = Outgoing::read(line) else {
            continue;
        };
        let remote = Arc::clone(&remote);
        match &outgoing.kind {
            Kind::Request { id, .. } => {
                let id = id.clone();
                in_flight.retain(|_, task| !task.is_finished());
                let task = tasks.spawn(async move { remote.ask(outgoing).await });
                in_flight.insert(id, task);
            }
            // Closing the response is how a stateless request is cancelled.
            Kind::Cancelled(id) if !remote.has_handshake() => {
                if let Some(task) = in_flight.remove(id) {
                    task.abort();
                }
            }
            kind => {
                let begins = matches!(kind, Kind::Initialized);
                if remote.tell(outgoing).await.is_err() {
                    break;
                }
                if begins {
                    tasks.spawn(async move { remote.listen().await });
                }
            }
        }
    }
    drop(tasks);
    remote.leave().await;
}
