//! What was sent, kept for clients that lost their connection (2025-11-25, "Transports", section
//! "Resumability and Redelivery").

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::session::SessionId;
use crate::connection::BoxFuture;
use crate::limits::{MAX_EVENT_BYTES, MAX_SESSION_EVENT_BYTES, MAX_SESSION_EVENTS};

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

/// Keeps the last events of each session in memory: at most 256 of them, and 1 MiB. Beyond the limit
/// for all sessions together, which is 128 MiB unless set, the session that takes the most loses its
/// oldest events.
#[derive(Debug)]
pub struct MemoryEvents {
    max_bytes: usize,
    kept: Mutex<Kept>,
}

/// The events of all sessions.
#[derive(Debug, Default)]
struct Kept {
    sessions: HashMap<SessionId, Events>,
    /// The sessions by their bytes.
    by_size: BTreeSet<(usize, SessionId)>,
    bytes: usize,
}

/// The events of one session.
#[derive(Debug, Default)]
struct Events {
    events: VecDeque<StoredEvent>,
    bytes: usize,
}

impl StoredEvent {
    /// The bytes that it takes in memory.
    fn size(&self) -> usize {
        size_of::<Self>() + self.message.len()
    }
}

impl MemoryEvents {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::with_max_bytes(MAX_EVENT_BYTES)
    }

    /// An empty store that keeps at most so many bytes of all sessions together.
    #[must_use]
    pub fn with_max_bytes(limit: usize) -> Self {
        Self {
            max_bytes: limit,
            kept: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryEvents {
    fn default() -> Self {
        Self::new()
    }
}

impl Kept {
    /// Changes the events of one session, and counts anew what they take.
    fn change(&mut self, session: SessionId, change: impl FnOnce(&mut Events)) {
        let events = self.sessions.entry(session).or_default();
        let before = events.bytes;
        change(events);
        let after = events.bytes;
        if events.events.is_empty() {
            self.sessions.remove(&session);
        }
        self.by_size.remove(&(before, session));
        if after > 0 {
            self.by_size.insert((after, session));
        }
        self.bytes = self.bytes - before + after;
    }
}

impl Events {
    fn push(&mut self, event: StoredEvent) {
        self.bytes += event.size();
        self.events.push_back(event);
        while self.events.len() > MAX_SESSION_EVENTS || self.bytes > MAX_SESSION_EVENT_BYTES {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.events.pop_front() {
            self.bytes -= oldest.size();
        }
    }
}

impl EventStore for MemoryEvents {
    fn append(&self, session: &SessionId, event: StoredEvent) {
        let mut kept = self.lock();
        kept.change(*session, |events| events.push(event));
        while kept.bytes > self.max_bytes {
            let Some(&(_, largest)) = kept.by_size.last() else {
                break;
            };
            kept.change(largest, Events::drop_oldest);
        }
    }

    fn replay(&self, session: &SessionId, stream: u64, after: u64) -> BoxFuture<Vec<StoredEvent>> {
        let kept = self.lock();
        let missed = kept.sessions.get(session).map(|kept| {
            let missed = kept.events.iter();
            let missed = missed.filter(|event| event.stream == stream && event.sequence > after);
            missed.cloned().collect()
        });
        Box::pin(std::future::ready(missed.unwrap_or_default()))
    }

    fn forget(&self, session: &SessionId) {
        self.lock()
            .change(*session, |events| *events = Events::default());
    }
}

/// Where the events of one session are kept. Clones are the same log.
#[derive(Clone)]
pub(super) struct EventLog {
    store: Arc<dyn EventStore>,
    session: SessionId,
    /// Whether the session is over: what comes later would be kept for ever.
    over: Arc<Mutex<bool>>,
}

impl EventLog {
    pub(super) fn new(store: Arc<dyn EventStore>, session: SessionId) -> Self {
        Self {
            store,
            session,
            over: Arc::default(),
        }
    }

    pub(super) fn append(&self, stream: u64, sequence: u64, message: &[u8]) {
        let event = StoredEvent {
            stream,
            sequence,
            message: Bytes::copy_from_slice(message),
        };
        // Held meanwhile, so that nothing is appended behind `forget`.
        let over = self.lock_over();
        if !*over {
            self.store.append(&self.session, event);
        }
    }

    pub(super) fn replay(&self, id: EventId) -> BoxFuture<Vec<StoredEvent>> {
        self.store.replay(&self.session, id.stream, id.sequence)
    }

    pub(super) fn forget(&self) {
        *self.lock_over() = true;
        self.store.forget(&self.session);
    }

    fn lock_over(&self) -> MutexGuard<'_, bool> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn is_empty(store: &MemoryEvents) -> bool {
        let kept = store.lock();
        kept.sessions.is_empty() && kept.by_size.is_empty() && kept.bytes == 0
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
        assert_eq!(sequences(&store, 1, 0).await.len(), MAX_SESSION_EVENTS);
        let largest = MAX_SESSION_EVENT_BYTES - size_of::<StoredEvent>();
        store.append(&SessionId::new(7), event(1, 301, largest));
        assert_eq!(sequences(&store, 1, 0).await, [301]);
        store.append(&SessionId::new(7), event(1, 302, largest + 1));
        assert_eq!(sequences(&store, 1, 0).await, [0; 0]);
        assert!(is_empty(&store));
    }

    #[tokio::test]
    async fn the_largest_session_loses_its_oldest_events_beyond_the_limit_for_all() {
        let size = event(1, 1, 1000).size();
        let store = MemoryEvents::with_max_bytes(10 * size);
        for sequence in 1..=8 {
            store.append(&SessionId::new(7), event(1, sequence, 1000));
        }
        for session in 8..11 {
            store.append(&SessionId::new(session), event(1, 1, 1000));
        }
        assert_eq!(sequences(&store, 1, 0).await, [2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(store.lock().bytes, 10 * size);
        for session in 7..11 {
            store.forget(&SessionId::new(session));
        }
        assert!(is_empty(&store));
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_session_that_is_over() {
        let store = Arc::new(MemoryEvents::new());
        let log = EventLog::new(Arc::clone(&store) as _, SessionId::new(7));
        let same = log.clone();
        log.append(1, 1, b"{}");
        log.forget();
        same.append(1, 2, b"{}");
        assert_eq!(sequences(&store, 1, 0).await, [0; 0]);
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
