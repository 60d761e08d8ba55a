//! Events that are stored for clients that lose their connection (2025-11-25, "Transports", section
//! "Resumability and Redelivery").

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::future::{Future, ready};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Waker};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::task::unconstrained;

use crate::connection::{BoxFuture, contain};
use crate::limits::{MAX_EVENT_BYTES, MAX_SESSION_EVENT_BYTES, MAX_SESSION_EVENTS};
use crate::store::{StoreError, available};
use crate::sync::lock;
use crate::transport::http::session::SessionId;

/// Stores the events of sessions, so that a client that comes back gets the events it missed.
///
/// The default, [`MemoryEventStore`], lives in this process. With a store that several processes
/// share, a client can resume a stream in another process.
pub trait EventStore: Send + Sync + 'static {
    /// Stores an event. The events of a session are appended one at a time, in the order in which
    /// they were sent: each call waits for the future of the previous one. The client does not wait
    /// for the store. An event that can't be stored is still sent; the failure is logged as an
    /// error, and the event is missing when its stream is resumed. The same applies to events that
    /// are sent while more than 1 MiB of their session waits for the store.
    fn append(&self, session: SessionId, event: StoredEvent) -> BoxFuture<Result<(), StoreError>>;

    /// Returns the events of `stream` after number `after`, in order. When this fails, the client
    /// is answered with 503 and `Retry-After`; the stream continues and can be resumed later.
    fn replay(
        &self,
        session: SessionId,
        stream: u64,
        after: u64,
    ) -> BoxFuture<Result<Vec<StoredEvent>, StoreError>>;

    /// Removes the events of a session that has ended; no more events follow. If this fails, it is
    /// called again after a pause until it succeeds. It is not called for the sessions of a process
    /// that was killed, so a store that outlives processes must let events expire.
    fn forget(&self, session: SessionId) -> BoxFuture<Result<(), StoreError>>;
}

/// A message of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// The number of the stream in its session.
    pub stream: u64,
    /// The number of the message in its stream, starting from 1.
    pub sequence: u64,
    /// The JSON-RPC message, on one line.
    pub message: Bytes,
}

/// Stores the latest events of each session in memory: at most 256 events and 1 MiB. When all
/// sessions together exceed their limit, which is 128 MiB by default, the largest session loses its
/// oldest events.
#[derive(Debug)]
pub struct MemoryEventStore {
    max_bytes: usize,
    kept: Mutex<EventTable>,
}

#[derive(Debug, Default)]
struct EventTable {
    sessions: HashMap<SessionId, Events>,
    by_size: BTreeSet<(usize, SessionId)>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Events {
    events: VecDeque<StoredEvent>,
    bytes: usize,
}

impl StoredEvent {
    /// The number of bytes that the event takes in memory.
    fn size(&self) -> usize {
        size_of::<Self>() + self.message.len()
    }
}

impl MemoryEventStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::with_max_bytes(MAX_EVENT_BYTES)
    }

    /// Creates an empty store that keeps at most `limit` bytes of all sessions together.
    #[must_use]
    pub fn with_max_bytes(limit: usize) -> Self {
        Self {
            max_bytes: limit,
            kept: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, EventTable> {
        lock(&self.kept)
    }
}

impl Default for MemoryEventStore {
    fn default() -> Self {
        Self::new()
    }
}

impl EventTable {
    /// Changes the events of one session, and updates the byte counts.
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

impl EventStore for MemoryEventStore {
    fn append(&self, session: SessionId, event: StoredEvent) -> BoxFuture<Result<(), StoreError>> {
        let mut kept = self.lock();
        kept.change(session, |events| events.push(event));
        while kept.bytes > self.max_bytes {
            let Some(&(_, largest)) = kept.by_size.last() else {
                break;
            };
            kept.change(largest, Events::drop_oldest);
        }
        Box::pin(ready(Ok(())))
    }

    fn replay(
        &self,
        session: SessionId,
        stream: u64,
        after: u64,
    ) -> BoxFuture<Result<Vec<StoredEvent>, StoreError>> {
        let kept = self.lock();
        let missed = kept.sessions.get(&session).map(|kept| {
            let missed = kept.events.iter();
            let missed = missed.filter(|event| event.stream == stream && event.sequence > after);
            missed.cloned().collect()
        });
        Box::pin(ready(Ok(missed.unwrap_or_default())))
    }

    fn forget(&self, session: SessionId) -> BoxFuture<Result<(), StoreError>> {
        self.lock()
            .change(session, |events| *events = Events::default());
        Box::pin(ready(Ok(())))
    }
}

/// The log of the events of one session. Clones share the log.
#[derive(Clone)]
pub(crate) struct EventLog(Arc<Log>);

struct Log {
    store: Arc<dyn EventStore>,
    session: SessionId,
    /// Kept because handlers may send from threads outside the runtime.
    runtime: Handle,
    /// The number of bytes in events that wait for earlier calls of the store.
    waiting: AtomicUsize,
    /// True if the session has ended. Events appended later would never be removed. The lock is
    /// held while an event is appended; waiting events get it in the order in which they were sent.
    over: tokio::sync::Mutex<bool>,
}

impl EventLog {
    pub(crate) fn new(store: Arc<dyn EventStore>, session: SessionId) -> Self {
        Self(Arc::new(Log {
            store,
            session,
            runtime: Handle::current(),
            waiting: AtomicUsize::new(0),
            over: tokio::sync::Mutex::default(),
        }))
    }

    pub(crate) fn append(&self, stream: u64, sequence: u64, message: &[u8]) {
        let length = message.len();
        if self.0.waiting.load(Ordering::Relaxed) > MAX_SESSION_EVENT_BYTES {
            return crate::log::error!("an event was not stored: the store is too slow");
        }
        self.0.waiting.fetch_add(length, Ordering::Relaxed);
        let event = StoredEvent {
            stream,
            sequence,
            message: Bytes::copy_from_slice(message),
        };
        let log = Arc::clone(&self.0);
        self.call(async move {
            let over = log.over.lock().await;
            log.waiting.fetch_sub(length, Ordering::Relaxed);
            if !*over && let Err(error) = log.store.append(log.session, event).await {
                crate::log::error!(%error, "an event was not stored");
            }
        });
    }

    /// Returns the events of a stream after `id`.
    ///
    /// # Errors
    ///
    /// When the store is unavailable.
    pub(crate) async fn replay(&self, id: EventId) -> Result<Vec<StoredEvent>, StoreError> {
        // Wait for the events that were sent earlier.
        drop(self.0.over.lock().await);
        let events = self.0.store.replay(self.0.session, id.stream, id.sequence);
        events.await
    }

    pub(crate) fn forget(&self) {
        let log = Arc::clone(&self.0);
        self.call(async move {
            *log.over.lock().await = true;
            available(|| log.store.forget(log.session)).await;
        });
    }

    /// Runs a call of the store, in a task if it can't complete immediately.
    fn call(&self, call: impl Future<Output = ()> + Send + 'static) {
        let _entered = self.0.runtime.enter();
        // The first poll takes a place in the queue for the lock. `unconstrained` keeps tokio's
        // budget of the sending task from delaying it.
        let mut call = Box::pin(unconstrained(call));
        // If the store panics, the stream goes on without the event.
        let first = contain(|| call.as_mut().poll(&mut Context::from_waker(Waker::noop())));
        if first.is_ok_and(|first| first.is_pending()) {
            tokio::spawn(call);
        }
    }
}

/// The id of an event as the client sees it: the number of the stream, and the number of the
/// message in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(crate) stream: u64,
    pub(crate) sequence: u64,
}

impl EventId {
    pub(crate) fn parse(text: &str) -> Option<Self> {
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

    fn is_empty(store: &MemoryEventStore) -> bool {
        let kept = store.lock();
        kept.sessions.is_empty() && kept.by_size.is_empty() && kept.bytes == 0
    }

    async fn sequences(store: &MemoryEventStore, stream: u64, after: u64) -> Vec<u64> {
        let events = store.replay(SessionId::new(7), stream, after).await;
        events.unwrap().iter().map(|event| event.sequence).collect()
    }

    #[tokio::test]
    async fn the_rest_of_one_stream_is_replayed() {
        let store = MemoryEventStore::new();
        for event in [
            event(1, 1, 1),
            event(2, 1, 1),
            event(1, 2, 1),
            event(1, 3, 1),
        ] {
            store.append(SessionId::new(7), event).await.unwrap();
        }
        assert_eq!(sequences(&store, 1, 1).await, [2, 3]);
        assert_eq!(sequences(&store, 2, 1).await, [0; 0]);
        store.forget(SessionId::new(7)).await.unwrap();
        assert_eq!(sequences(&store, 1, 0).await, [0; 0]);
    }

    #[tokio::test]
    async fn only_the_last_events_are_kept() {
        let store = MemoryEventStore::new();
        for sequence in 1..=300 {
            store
                .append(SessionId::new(7), event(1, sequence, 1))
                .await
                .unwrap();
        }
        assert_eq!(sequences(&store, 1, 0).await.len(), MAX_SESSION_EVENTS);
        let largest = MAX_SESSION_EVENT_BYTES - size_of::<StoredEvent>();
        store
            .append(SessionId::new(7), event(1, 301, largest))
            .await
            .unwrap();
        assert_eq!(sequences(&store, 1, 0).await, [301]);
        store
            .append(SessionId::new(7), event(1, 302, largest + 1))
            .await
            .unwrap();
        assert_eq!(sequences(&store, 1, 0).await, [0; 0]);
        assert!(is_empty(&store));
    }

    #[tokio::test]
    async fn the_largest_session_loses_its_oldest_events_beyond_the_limit_for_all() {
        let size = event(1, 1, 1000).size();
        let store = MemoryEventStore::with_max_bytes(10 * size);
        for sequence in 1..=8 {
            store
                .append(SessionId::new(7), event(1, sequence, 1000))
                .await
                .unwrap();
        }
        for session in 8..11 {
            store
                .append(SessionId::new(session), event(1, 1, 1000))
                .await
                .unwrap();
        }
        assert_eq!(sequences(&store, 1, 0).await, [2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(store.lock().bytes, 10 * size);
        for session in 7..11 {
            store.forget(SessionId::new(session)).await.unwrap();
        }
        assert!(is_empty(&store));
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_session_that_is_over() {
        let store = Arc::new(MemoryEventStore::new());
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
