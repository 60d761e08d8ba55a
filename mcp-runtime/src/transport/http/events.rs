//! What was sent, kept for clients that lost their connection (2025-11-25, "Transports", section
//! "Resumability and Redelivery").

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::session::SessionId;
use crate::driver::BoxFuture;

/// Keeps the events of sessions, so that a client that comes back gets what it missed.
///
/// The default, [`MemoryEvents`], lives in this process. A store that several processes share
/// lets a client resume at another one.
pub trait EventStore: Send + Sync + 'static {
    /// Keeps an event. Called in order for each stream; must not block, so a store that does I/O
    /// hands the event on.
    fn append(&self, session: &SessionId, event: StoredEvent);

    /// The events of `stream` after the one numbered `after`, in order.
    fn replay(&self, session: &SessionId, stream: u64, after: u64) -> BoxFuture<Vec<StoredEvent>>;

    /// The session is over: its events are not asked for any more.
    fn forget(&self, session: &SessionId);
}

/// One message of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Which stream of the session it was sent on.
    pub stream: u64,
    /// Its place in the stream, from 1.
    pub sequence: u64,
    /// The JSON-RPC message, on one line.
    pub message: Bytes,
}

/// Keeps the last events of each session in memory: at most 256 of them, and 1 MiB.
#[derive(Debug, Default)]
pub struct MemoryEvents {
    sessions: Mutex<HashMap<SessionId, Kept>>,
}

const MAX_EVENTS: usize = 256;
const MAX_BYTES: usize = 1024 * 1024;

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<StoredEvent>,
    bytes: usize,
}

impl MemoryEvents {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Kept>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventStore for MemoryEvents {
    fn append(&self, session: &SessionId, event: StoredEvent) {
        let mut sessions = self.lock();
        let kept = sessions.entry(*session).or_default();
        kept.bytes += event.message.len();
        kept.events.push_back(event);
        while kept.events.len() > MAX_EVENTS || kept.bytes > MAX_BYTES {
            let Some(oldest) = kept.events.pop_front() else {
                break;
            };
            kept.bytes -= oldest.message.len();
        }
    }

    fn replay(&self, session: &SessionId, stream: u64, after: u64) -> BoxFuture<Vec<StoredEvent>> {
        let sessions = self.lock();
        let missed = sessions.get(session).map(|kept| {
            let missed = kept.events.iter();
            let missed = missed.filter(|event| event.stream == stream && event.sequence > after);
            missed.cloned().collect()
        });
        Box::pin(std::future::ready(missed.unwrap_or_default()))
    }

    fn forget(&self, session: &SessionId) {
        self.lock().remove(session);
    }
}

/// The events of one session.
#[derive(Clone)]
pub(super) struct EventLog {
    store: Arc<dyn EventStore>,
    session: SessionId,
}

impl EventLog {
    pub(super) fn new(store: Arc<dyn EventStore>, session: SessionId) -> Self {
        Self { store, session }
    }

    pub(super) fn append(&self, stream: u64, sequence: u64, message: &[u8]) {
        let event = StoredEvent {
            stream,
            sequence,
            message: Bytes::copy_from_slice(message),
        };
        self.store.append(&self.session, event);
    }

    pub(super) fn replay(&self, id: EventId) -> BoxFuture<Vec<StoredEvent>> {
        self.store.replay(&self.session, id.stream, id.sequence)
    }

    pub(super) fn forget(&self) {
        self.store.forget(&self.session);
    }
}

/// The id of an event, as the client sees it: the stream, and the place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) stream: u64,
    pub(super) sequence: u64,
}

impl EventId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (stream, sequence) = text.split_once('-')?;
        Some(Self {
            stream: stream.parse().ok()?,
            sequence: sequence.parse().ok()?,
        })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(stream: u64, sequence: u64, length: usize) -> StoredEvent {
        let message = vec![b'x'; length].into();
        StoredEvent {
            stream,
            sequence,
            message,
        }
    }

    async fn sequences(store: &MemoryEvents, stream: u64, after: u64) -> Vec<u64> {
        let events = store.replay(&SessionId::new(7), stream, after).await;
        events.iter().map(|event| event.sequence).collect()
    }

    #[tokio::test]
    async fn the_rest_of_one_stream_is_replayed() {
        let store = MemoryEvents::new();
        for event in [
            event(1, 1, 1),
            event(2, 1, 1),
            event(1, 2, 1),
            event(1, 3, 1),
        ] {
            store.append(&SessionId::new(7), event);
        }
        assert_eq!(sequences(&store, 1, 1).await, [2, 3]);
        assert_eq!(sequences(&store, 2, 1).await, [0; 0]);
        store.forget(&SessionId::new(7));
        assert_eq!(sequences(&store, 1, 0).await, [0; 0]);
    }

    #[tokio::test]
    async fn only_the_last_events_are_kept() {
        let store = MemoryEvents::new();
        for sequence in 1..=300 {
            store.append(&SessionId::new(7), event(1, sequence, 1));
        }
        assert_eq!(sequences(&store, 1, 0).await.len(), MAX_EVENTS);
        store.append(&SessionId::new(7), event(1, 301, MAX_BYTES));
        assert_eq!(sequences(&store, 1, 0).await, [301]);
    }

    #[test]
    fn ids_are_read_as_they_were_written() {
        let id = EventId {
            stream: 3,
            sequence: 14,
        };
        assert_eq!(EventId::parse(&id.to_string()), Some(id));
        assert_eq!(EventId::parse("3"), None);
        assert_eq!(EventId::parse("3-x"), None);
    }
}
