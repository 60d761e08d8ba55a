//! The connection as the driver sees it, and the task that sends its messages.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use mcp_types::{InitializeRequest, InitializedNotification, Notification, Request, RequestId};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::outgoing::Outgoing;
use super::remote::Remote;
use crate::error::CallError;
use crate::limits::{CLOSE_TIMEOUT, MAX_UNSENT_NOTIFICATIONS, SESSION_END_TIMEOUT};
use crate::transport::{FrameReader, FrameWriter, Incoming, Outbox};

/// Something for the driver.
#[derive(Debug)]
pub(super) enum Delivery {
    Message(Vec<u8>),
    /// The beginning of a message over the limit.
    TooLarge(Vec<u8>),
    /// The reason for which a request gets no answer.
    Failed(RequestId, CallError),
}

/// Reads the messages of the server, of all responses.
#[derive(Debug)]
pub struct HttpReader {
    deliveries: mpsc::Receiver<Delivery>,
    /// The largest message, in bytes.
    limit: usize,
    next: Option<Delivery>,
    /// The message that was taken last, or its beginning.
    current: Vec<u8>,
}

impl HttpReader {
    pub(super) fn new(deliveries: mpsc::Receiver<Delivery>, limit: usize) -> Self {
        Self {
            deliveries,
            limit,
            next: None,
            current: Vec::new(),
        }
    }
}

impl FrameReader for HttpReader {
    fn next_frame(&mut self) -> Option<Incoming<'_>> {
        let next = self.next.take();
        Some(match next.or_else(|| self.deliveries.try_recv().ok())? {
            Delivery::Message(message) => {
                self.current = message;
                Incoming::Frame(&self.current)
            }
            Delivery::TooLarge(head) => {
                self.current = head;
                Incoming::TooLarge {
                    head: &self.current,
                    tail: &[],
                    limit: self.limit,
                }
            }
            Delivery::Failed(id, error) => Incoming::Failed { id, error },
        })
    }

    async fn fill(&mut self) -> io::Result<bool> {
        self.next = self.deliveries.recv().await;
        Ok(self.next.is_some())
    }
}

/// Sends each message as a request of its own.
#[derive(Debug)]
pub struct HttpWriter {
    lines: Option<mpsc::UnboundedSender<Vec<u8>>>,
    running: JoinHandle<()>,
}

impl HttpWriter {
    pub(super) fn new(lines: mpsc::UnboundedSender<Vec<u8>>, running: JoinHandle<()>) -> Self {
        Self {
            lines: Some(lines),
            running,
        }
    }
}

impl FrameWriter for HttpWriter {
    async fn write(&mut self, outbox: &mut Outbox) -> io::Result<()> {
        let lines = self.lines.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        while let Some(line) = outbox.first_line() {
            let sent = lines.send(line.to_vec());
            sent.map_err(|_| io::ErrorKind::NotConnected)?;
            let length = line.len() + 1;
            outbox.advance(length);
        }
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.lines = None;
        if timeout(CLOSE_TIMEOUT, &mut self.running).await.is_err() {
            self.running.abort();
        }
        Ok(())
    }
}

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
        let limit = remote.config.timeouts.idle;
        remote.notify(&notification, limit).await;
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
        let outgoing = match Outgoing::read(line) {
            Ok(outgoing) => outgoing,
            Err(unsendable) => {
                let error = unsendable.error;
                return match unsendable.id {
                    Some(id) => self.remote.deliver(Delivery::Failed(id, error)).await,
                    None => tracing::warn!(%error, "a message can't be sent"),
                };
            }
        };
        if let Some(id) = outgoing.id.clone() {
            if outgoing.method == InitializeRequest::METHOD {
                self.initialize = Some((id.clone(), Instant::now()));
            }
            let remote = Arc::clone(&self.remote);
            let task = self.exchanges.spawn(async move {
                remote.request_answer(&outgoing).await;
                outgoing.id
            });
            self.in_flight.insert(id, task);
        } else if outgoing.method.is_empty() {
            let remote = Arc::clone(&self.remote);
            self.exchanges.spawn(async move {
                let limit = remote.config.timeouts.idle;
                remote.notify(&outgoing, limit).await;
                None
            });
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
        let left = self.remote.config.timeouts.idle.saturating_sub(taken);
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
            if let Ok(outgoing) = Outgoing::read(line) {
                // Nothing is sent: it fails at once with `CallError::SessionEnded`.
                self.remote.request_answer(&outgoing).await;
            }
        }
    }
}
