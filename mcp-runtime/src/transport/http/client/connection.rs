//! The task that sends what the client says.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::RequestId;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::fault::not_sent;
use super::frames::Delivery;
use super::outgoing::{Kind, Outgoing};
use super::remote::{Ended, Remote};
use crate::limits::{MAX_UNSENT_NOTIFICATIONS, SESSION_END_TIMEOUT};

/// Sends messages until there are no more, or the session has ended.
///
/// Each request and each response is sent by a task of its own; notifications go one after the
/// other, in order, by another one. Only `notifications/initialized` is waited for, so that the
/// server has it before anything else.
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
    loop {
        let sent = tokio::select! {
            line = lines.recv() => match line {
                Some(line) => connection.send(line).await,
                None => break,
            },
            Some(done) = connection.exchanges.join_next() => connection.finished(done.ok()),
            Some(done) = connection.listening.join_next() => done.unwrap_or(Ok(())),
            Some(done) = notifying.join_next() => done.unwrap_or(Ok(())),
        };
        if let Err(Ended) = sent {
            connection.fail_rest(&mut lines).await;
            break;
        }
    }
    drop(connection);
    // What was said before the end is sent before the goodbye, while there is time for both.
    while notifying.join_next().await.is_some() {}
    remote.leave().await;
}

/// Sends notifications one after the other.
///
/// # Errors
///
/// If the session has ended.
async fn notify(remote: Arc<Remote>, mut queue: mpsc::Receiver<Outgoing>) -> Result<(), Ended> {
    while let Some(notification) = queue.recv().await {
        remote.tell(&notification, remote.timeouts.idle).await?;
    }
    Ok(())
}

/// A request or response whose exchange is over; the id is that of a request.
type Exchanged = (Option<RequestId>, Result<(), Ended>);

/// What is being sent and received.
struct Connection {
    remote: Arc<Remote>,
    exchanges: JoinSet<Exchanged>,
    in_flight: HashMap<RequestId, AbortHandle>,
    /// The request `initialize`, and when it was sent.
    initialize: Option<(RequestId, Instant)>,
    notifications: mpsc::Sender<Outgoing>,
    /// Reads the stream of the session.
    listening: JoinSet<Result<(), Ended>>,
}

impl Connection {
    /// Sends one message.
    ///
    /// # Errors
    ///
    /// If the session has ended.
    async fn send(&mut self, line: Vec<u8>) -> Result<(), Ended> {
        let outgoing = match Outgoing::read(line) {
            Ok(outgoing) => outgoing,
            Err(unsendable) => {
                let error = not_sent(unsendable.reason);
                match unsendable.id {
                    Some(id) => self.remote.deliver(Delivery::Failed(id, error)).await,
                    None => tracing::warn!(%error, "a message can't be sent"),
                }
                return Ok(());
            }
        };
        match &outgoing.kind {
            Kind::Request {
                id, initializes, ..
            } => {
                let id = id.clone();
                if *initializes {
                    self.initialize = Some((id.clone(), Instant::now()));
                }
                let (remote, sent) = (Arc::clone(&self.remote), id.clone());
                let task = self.exchanges.spawn(async move {
                    let exchanged = remote.ask(outgoing).await;
                    (Some(sent), exchanged)
                });
                self.in_flight.insert(id, task);
            }
            Kind::Response => {
                let remote = Arc::clone(&self.remote);
                self.exchanges.spawn(async move {
                    let limit = remote.timeouts.idle;
                    (None, remote.tell(&outgoing, limit).await)
                });
            }
            Kind::Initialized => return self.initialized(&outgoing).await,
            Kind::Cancelled(id) => {
                // Nobody waits for the answer any more. In the stateless era, closing the
                // response is all that it takes.
                if let Some(task) = self.in_flight.remove(id) {
                    task.abort();
                }
                if self.remote.has_handshake() {
                    self.notify(outgoing);
                }
            }
            Kind::Notification => self.notify(outgoing),
        }
        Ok(())
    }

    /// Sends `notifications/initialized`, within the time of `initialize`, and begins to listen to
    /// the stream of the session.
    ///
    /// # Errors
    ///
    /// If the session has ended.
    async fn initialized(&mut self, outgoing: &Outgoing) -> Result<(), Ended> {
        // What was sent before was about the era of the server: nobody waits for it.
        let initialize = self.initialize.take();
        let (id, since) = initialize.unzip();
        self.in_flight.retain(|other, task| {
            let stays = id.as_ref() == Some(other);
            if !stays {
                task.abort();
            }
            stays
        });
        let taken = since.map(|since| since.elapsed()).unwrap_or_default();
        let left = self.remote.timeouts.idle.saturating_sub(taken);
        self.remote.tell(outgoing, left).await?;
        let remote = Arc::clone(&self.remote);
        self.listening.spawn(async move { remote.listen().await });
        Ok(())
    }

    fn notify(&self, notification: Outgoing) {
        if let Err(TrySendError::Full(dropped)) = self.notifications.try_send(notification) {
            tracing::warn!(
                method = dropped.method,
                "a notification was dropped: the server takes none"
            );
        }
    }

    fn finished(&mut self, done: Option<Exchanged>) -> Result<(), Ended> {
        let Some((id, exchanged)) = done else {
            return Ok(());
        };
        if let Some(id) = id {
            self.in_flight.remove(&id);
        }
        exchanged
    }

    /// Fails the requests that are left once the session has ended.
    async fn fail_rest(&mut self, lines: &mut UnboundedReceiver<Vec<u8>>) {
        let rest = async { while self.exchanges.join_next().await.is_some() {} };
        // Those that are not done by then fail with the connection.
        let _ = timeout(SESSION_END_TIMEOUT, rest).await;
        lines.close();
        while let Some(line) = lines.recv().await {
            if let Ok(outgoing) = Outgoing::read(line) {
                // Nothing is sent: it fails at once, saying so.
                let _ = self.remote.ask(outgoing).await;
            }
        }
    }
}
