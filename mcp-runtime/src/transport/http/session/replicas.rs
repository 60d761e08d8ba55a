//! The other replicas of a server, which are reached over a bus.
//!
//! Each replica opens any session from its record. Only what a call needs in its own process is
//! published: answers, cancellations and progress of a client, the ends of sessions, and changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_types::RawJson;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::SessionId;
use crate::error::{Rejection, ServeError};
use crate::limits::{ANNOUNCE_INTERVAL, BUS_PAUSE, FORWARD_ATTEMPTS, FORWARD_WAIT};
use crate::log::OnceAMinute;
use crate::server::{ChangeQueue, Server};
use crate::store::{Bus, BusContent, BusEvent, BusMessage, StoreError};
use crate::sync::lock;
use crate::transport::http::server::state::HttpState;

/// The link to the other replicas.
pub(crate) struct Replicas {
    bus: Arc<dyn Bus>,
    /// A random number, by which this replica ignores its own messages.
    own: u64,
    last_number: AtomicU64,
    /// The forwarded answers that no other replica has taken yet.
    forwarded: Mutex<HashMap<u64, oneshot::Sender<()>>>,
    ignored: OnceAMinute,
    unpublished: OnceAMinute,
}

/// A kind of message that a client has sent for another replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Foreign {
    /// A cancellation or a report of progress. No replica acknowledges it, because its request may
    /// have ended.
    Notification,
    Answer,
}

impl Replicas {
    pub(crate) fn new(bus: Arc<dyn Bus>) -> Self {
        // Without randomness, no session can be opened either.
        let own = getrandom::u64().unwrap_or_default();
        Self {
            bus,
            own,
            last_number: AtomicU64::new(own),
            forwarded: Mutex::default(),
            ignored: OnceAMinute::default(),
            unpublished: OnceAMinute::default(),
        }
    }

    async fn publish(&self, content: BusContent) -> Result<(), StoreError> {
        let message = BusMessage::write(self.own, content);
        let message = message.ok_or_else(|| StoreError::new("the message exceeds 4 MiB"))?;
        self.bus.publish(message).await
    }

    /// Publishes a message that the other replicas can do without.
    async fn tell(&self, content: BusContent) {
        if let Err(error) = self.publish(content).await {
            self.warn_unpublished(&error);
        }
    }

    fn warn_unpublished(&self, error: &StoreError) {
        if self.unpublished.is_first() {
            crate::log::warn!(%error, "messages do not reach other replicas at the moment");
        }
    }

    /// Sends a message of a client to the other replicas. An answer is sent again until another
    /// replica has taken it, at most [`FORWARD_ATTEMPTS`] times.
    async fn forward(
        &self,
        session: SessionId,
        body: &RawJson,
        foreign: Foreign,
    ) -> Result<(), StoreError> {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        let content = || BusContent::Forwarded {
            session: session.to_string(),
            number,
            body: body.clone(),
        };
        if foreign == Foreign::Notification {
            return self.publish(content()).await;
        }
        let (taken, mut is_taken) = oneshot::channel();
        let _forwarded = Forwarded(self, number);
        lock(&self.forwarded).insert(number, taken);
        for _ in 0..FORWARD_ATTEMPTS {
            self.publish(content()).await?;
            if timeout(FORWARD_WAIT, &mut is_taken).await.is_ok() {
                return Ok(());
            }
        }
        tracing::debug!(?session, "no replica waits for this answer");
        Ok(())
    }
}

/// Forgets a forwarded answer when it is dropped, even if the client is gone.
struct Forwarded<'a>(&'a Replicas, u64);

impl Drop for Forwarded<'_> {
    fn drop(&mut self) {
        lock(&self.0.forwarded).remove(&self.1);
    }
}

impl HttpState {
    /// Begins to listen to the other replicas, if there is a bus. The tasks end when the result is
    /// dropped.
    ///
    /// # Errors
    ///
    /// When the server asks questions that only this replica could continue with.
    pub(crate) fn join_replicas(self: &Arc<Self>) -> Result<JoinSet<()>, ServeError> {
        let mut tasks = JoinSet::new();
        let Some(replicas) = &self.replicas else {
            return Ok(tasks);
        };
        self.server.check_replicated()?;
        let inbox = Arc::new(Inbox::default());
        let state = Arc::downgrade(self);
        let runtime = tokio::runtime::Handle::current();
        let heard = Arc::clone(&inbox);
        tasks.spawn(replicas.bus.listen(Arc::new(move |event| {
            if let Some(state) = state.upgrade() {
                let _entered = runtime.enter();
                state.hear(event, &heard);
            }
        })));
        tasks.spawn(inbox.serve(self.server.clone()));
        if let Some(queue) = self.server.changes_for_replicas() {
            tasks.spawn(publish_changes(Arc::clone(replicas), queue));
        }
        Ok(tasks)
    }

    /// Handles what the bus delivers, without waiting.
    fn hear(self: &Arc<Self>, event: BusEvent, inbox: &Inbox) {
        let Some(replicas) = &self.replicas else {
            return;
        };
        let message = match event {
            BusEvent::Gap => return inbox.gap.notify_one(),
            BusEvent::Message(message) => BusMessage::read(&message),
        };
        let Some(message) = message else {
            tracing::event!(target: "mcp_runtime::http", tracing::Level::DEBUG, monotonic_counter.bus_messages_ignored = 1_u64);
            if replicas.ignored.is_first() {
                crate::log::warn!(
                    "a message on the bus was ignored: it is too large, or of another program or version"
                );
            }
            return;
        };
        if message.from == replicas.own {
            return;
        }
        match message.content {
            BusContent::Changes(changes) => inbox.changes.add(changes),
            BusContent::Forwarded {
                session,
                number,
                body,
            } => self.take_forwarded(&session, number, &body),
            BusContent::Taken { number } => {
                let waiting = lock(&replicas.forwarded).remove(&number);
                // The client may be gone.
                waiting.map(|taken| taken.send(()));
            }
            BusContent::Edited { session } => self.refresh(&session),
            BusContent::Ended { session } => {
                if let Ok(session) = session.parse() {
                    self.sessions.end(session);
                }
            }
        }
    }

    /// Takes a message of a client that another replica has received, if it concerns a request here.
    fn take_forwarded(self: &Arc<Self>, session: &str, number: u64, body: &RawJson) {
        let session = session.parse().ok();
        let session = session.and_then(|id| self.sessions.find(id));
        let depth = self.options.limits.max_depth;
        if session.is_some_and(|session| session.overhear(body.get().as_bytes(), depth)) {
            let state = Arc::clone(self);
            tokio::spawn(async move {
                if let Some(replicas) = &state.replicas {
                    replicas.tell(BusContent::Taken { number }).await;
                }
            });
        }
    }

    /// Adopts the state of a session that another replica has changed, if the session is open here.
    fn refresh(self: &Arc<Self>, session: &str) {
        let id = session.parse().ok();
        if let Some(session) = id.and_then(|id| self.sessions.find(id)) {
            let state = Arc::clone(self);
            tokio::spawn(async move {
                // If the store fails, the session adopts the state with its next request.
                let _ = state.adopt_latest(session).await;
            });
        }
    }

    /// Tells the other replicas that a session has changed.
    pub(crate) async fn tell_edited(&self, session: SessionId) {
        if let Some(replicas) = &self.replicas {
            let session = session.to_string();
            replicas.tell(BusContent::Edited { session }).await;
        }
    }

    /// Tells the other replicas that a session has ended.
    pub(crate) async fn tell_ended(&self, session: SessionId) {
        if let Some(replicas) = &self.replicas {
            let session = session.to_string();
            replicas.tell(BusContent::Ended { session }).await;
        }
    }

    /// Sends a message of a client to the replica that it concerns.
    ///
    /// # Errors
    ///
    /// When the bus is unavailable. The question that an answer belongs to then waits on.
    pub(crate) async fn forward(
        &self,
        session: SessionId,
        body: &[u8],
        foreign: Foreign,
    ) -> Result<(), Rejection> {
        let body = serde_json::from_slice::<RawJson>(body);
        let (Some(replicas), Ok(body)) = (&self.replicas, body) else {
            return Ok(());
        };
        let forwarded = replicas.forward(session, &body, foreign).await;
        forwarded.or_else(|error| match foreign {
            Foreign::Answer => Err(self.unavailable(error)),
            Foreign::Notification => {
                replicas.warn_unpublished(&error);
                Ok(())
            }
        })
    }
}

/// Messages of other replicas that take time to handle.
#[derive(Default)]
struct Inbox {
    changes: ChangeQueue,
    gap: tokio::sync::Notify,
}

impl Inbox {
    async fn serve(self: Arc<Self>, server: Server) {
        // A gap takes seconds to report, and changes must not wait for it.
        let gaps = async {
            loop {
                self.gap.notified().await;
                server.missed().await;
            }
        };
        let changes = async {
            loop {
                // The publisher has merged them.
                let changes = self.changes.take(Duration::ZERO).await;
                server.heard(changes).await;
            }
        };
        tokio::join!(gaps, changes);
    }
}

/// Publishes the changes of this replica. While the bus is unavailable, the changes wait.
async fn publish_changes(replicas: Arc<Replicas>, queue: Arc<ChangeQueue>) {
    loop {
        let changes: Vec<_> = queue.take(ANNOUNCE_INTERVAL).await.into_iter().collect();
        for changes in changes.chunks(MAX_CHANGES_OF_MESSAGE) {
            let content = BusContent::Changes(changes.iter().cloned().collect());
            let Some(message) = BusMessage::write(replicas.own, content) else {
                crate::log::warn!(
                    "changes do not reach other replicas, because their URIs are too long"
                );
                continue;
            };
            while let Err(error) = replicas.bus.publish(message.clone()).await {
                replicas.warn_unpublished(&error);
                tokio::time::sleep(BUS_PAUSE).await;
            }
        }
    }
}

/// How many changes are published in one message, to stay below the limit for most lengths of URIs.
const MAX_CHANGES_OF_MESSAGE: usize = 256;
