//! The task of a connection, which sends its messages.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::{InitializeRequest, InitializedNotification, Notification, Request, RequestId};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::outgoing::Outgoing;
use super::remote::Remote;
use crate::limits::{MAX_UNSENT_NOTIFICATIONS, SESSION_END_TIMEOUT};

/// Sends messages until there are no more, or the session has ended.
///
/// Each request and each response is sent by a task of its own; notifications are sent in order by
/// another one. Only `notifications/initialized` is waited for, so that the server has it before
/// anything else.
pub(super) async fn run(remote: Arc<Remote>, mut lines: UnboundedReceiver<Vec<u8>>) {
    let (notifications, queue) = mpsc::channel(MAX_UNSENT_NOTIFICATIONS);
    let mut connection = Connection {
        remote: Arc::clone(&remote),
        exchanges: JoinSet::new(),
        in_flight: HashMap::new(),
        initialize: None,
        notifications,
        listening: JoinSet::new(),
    };
    let mut notifying = JoinSet::new();
    notifying.spawn(notify(Arc::clone(&remote), queue));
    while !remote.has_ended() {
        tokio::select! {
            line = lines.recv() => match line {
                Some(line) => connection.send(line).await,
                None => break,
            },
            Some(done) = connection.exchanges.join_next() => {
                if let Ok(Some(id)) = done {
                    connection.in_flight.remove(&id);
                }
            }
            Some(_) = connection.listening.join_next() => {}
            Some(_) = notifying.join_next() => {}
        }
    }
    if remote.has_ended() {
        connection.fail_rest(&mut lines).await;
    }
    drop(connection);
    // Notifications that wait are sent before the session is deleted, while there is time for both.
    while notifying.join_next().await.is_some() {}
    remote.delete_session().await;
}

/// Sends notifications one after the other.
async fn notify(remote: Arc<Remote>, mut queue: mpsc::Receiver<Outgoing>) {
    while !remote.has_ended()
        && let Some(notification) = queue.recv().await
    {
        remote.notify(&notification, remote.message_timeout).await;
    }
}

/// Messages that are being sent and answered.
struct Connection {
    remote: Arc<Remote>,
    /// Requests, which return their id, and responses.
    exchanges: JoinSet<Option<RequestId>>,
    in_flight: HashMap<RequestId, AbortHandle>,
    /// The request `initialize`, and when it was sent.
    initialize: Option<(RequestId, Instant)>,
    notifications: mpsc::Sender<Outgoing>,
    /// Reads the stream of the session.
    listening: JoinSet<()>,
}

impl Connection {
    /// Sends one message.
    async fn send(&mut self, line: Vec<u8>) {
        let outgoing = match self.remote.read(line) {
            Ok(outgoing) => outgoing,
            Err((Some(id), error)) => return self.remote.deliver(Err((id, error))).await,
            Err((None, error)) => return tracing::warn!(%error, "a message can't be sent"),
        };
        if outgoing.id.is_some() || outgoing.method.is_empty() {
            let (id, remote) = (outgoing.id.clone(), Arc::clone(&self.remote));
            if outgoing.method == InitializeRequest::METHOD {
                self.initialize = id.clone().zip(Some(Instant::now()));
            }
            let task = self.exchanges.spawn(async move {
                remote.exchange(&outgoing).await;
                outgoing.id
            });
            self.in_flight.extend(id.map(|id| (id, task)));
        } else if outgoing.method == InitializedNotification::METHOD {
            self.initialized(&outgoing).await;
        } else if let Some(id) = &outgoing.cancels {
            // In the stateless era, closing the response cancels the request.
            if let Some(task) = self.in_flight.remove(id) {
                task.abort();
            }
            if self.remote.is_initialized() {
                self.queue(outgoing);
            }
        } else {
            self.queue(outgoing);
        }
    }

    /// Sends `notifications/initialized`, within the time of `initialize`, and begins to read the
    /// stream of the session.
    async fn initialized(&mut self, outgoing: &Outgoing) {
        // Earlier requests detected the era of the server: their answers are of no use.
        let (id, since) = self.initialize.take().unzip();
        self.in_flight.retain(|other, task| {
            let stays = id.as_ref() == Some(other);
            if !stays {
                task.abort();
            }
            stays
        });
        let taken = since.map(|since| since.elapsed()).unwrap_or_default();
        let left = self.remote.message_timeout.saturating_sub(taken);
        self.remote.notify(outgoing, left).await;
        if !self.remote.has_ended() {
            let remote = Arc::clone(&self.remote);
            self.listening.spawn(async move { remote.listen().await });
        }
    }

    fn queue(&self, notification: Outgoing) {
        if let Err(TrySendError::Full(dropped)) = self.notifications.try_send(notification) {
            tracing::warn!(
                method = dropped.method,
                "a notification was dropped: the server takes none"
            );
        }
    }

    /// Fails the requests that are left once the session has ended.
    async fn fail_rest(&mut self, lines: &mut UnboundedReceiver<Vec<u8>>) {
        let rest = async { while self.exchanges.join_next().await.is_some() {} };
        // Those that are not done by then fail with the connection.
        let _ = timeout(SESSION_END_TIMEOUT, rest).await;
        lines.close();
        while let Some(line) = lines.recv().await {
            if let Ok(outgoing) = self.remote.read(line)
                && outgoing.id.is_some()
            {
                // Nothing is sent: it fails at once with `CallError::SessionEnded`.
                self.remote.exchange(&outgoing).await;
            }
        }
    }
}
