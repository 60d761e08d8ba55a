//! Records of sessions, from which other processes can take them over.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::connection::BoxFuture;
use crate::limits::{FOREVER, STORE_PAUSE};
use crate::server::Principal;
use crate::store::StoreError;
use crate::sync::lock;

/// Stores the records of sessions, and decides whether a session is still alive.
///
/// The default, [`MemorySessionStore`], lives in this process. With a store that several processes
/// share, each request of a client may reach another process: a process that does not know the
/// session opens it from its [`SessionRecord`]. The record includes the client's log level and
/// resource subscriptions. Calls in flight, and requests to the client, stay in the process where
/// they began. Streams can be resumed in any process if the
/// [`EventStore`](crate::transport::http::EventStore) is shared as well.
///
/// Requests wait for the store, so a store must limit the time of its own calls. When a method
/// fails, the request is answered with 503 and `Retry-After`. The session does not end, and the
/// next request may succeed.
///
/// ```
/// use std::future::Future;
/// use std::pin::Pin;
/// use std::time::Duration;
///
/// use bytes::Bytes;
/// use mcp_runtime::transport::http::{
///     HttpOptions, MemorySessionStore, SessionId, SessionRecord, SessionStore,
/// };
/// use mcp_runtime::store::StoreError;
///
/// type Stored<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;
///
/// /// Refuses new sessions during maintenance, but keeps open sessions alive.
/// struct Maintained(MemorySessionStore);
///
/// impl SessionStore for Maintained {
///     fn insert(&self, _: SessionId, _: SessionRecord, _: Duration) -> Stored<()> {
///         Box::pin(async { Err(StoreError::new("maintenance")) })
///     }
///
///     fn find(&self, id: SessionId) -> Stored<Option<SessionRecord>> {
///         self.0.find(id)
///     }
///
///     fn renew(&self, id: SessionId, idle: Duration) -> Stored<Option<Bytes>> {
///         self.0.renew(id, idle)
///     }
///
///     fn set_state(&self, id: SessionId, state: Bytes) -> Stored<()> {
///         self.0.set_state(id, state)
///     }
///
///     fn remove(&self, id: SessionId) -> Stored<()> {
///         self.0.remove(id)
///     }
/// }
///
/// let store = Maintained(MemorySessionStore::new());
/// let options = HttpOptions::default().session_store(store);
/// # drop(options);
/// ```
pub trait SessionStore: Send + Sync + 'static {
    /// Stores a new session for `idle` from now on.
    fn insert(
        &self,
        id: SessionId,
        record: SessionRecord,
        idle: Duration,
    ) -> BoxFuture<Result<(), StoreError>>;

    /// Returns the record of a session; `None` if it is unknown or has ended. A record that can't
    /// be used is logged as an error and treated as if the session had ended, so the client opens
    /// another one.
    fn find(&self, id: SessionId) -> BoxFuture<Result<Option<SessionRecord>, StoreError>>;

    /// Extends the life of a session to `idle` from now on. Returns its
    /// [state](SessionRecord::state), which another process may have changed; `None` if the session
    /// is unknown or has ended.
    fn renew(&self, id: SessionId, idle: Duration) -> BoxFuture<Result<Option<Bytes>, StoreError>>;

    /// Replaces the [state](SessionRecord::state) of a session. Does nothing if the session is
    /// unknown or has ended. If this fails, the request that changed the state fails, and the
    /// change is undone.
    fn set_state(&self, id: SessionId, state: Bytes) -> BoxFuture<Result<(), StoreError>>;

    /// Removes a session that has ended.
    fn remove(&self, id: SessionId) -> BoxFuture<Result<(), StoreError>>;
}

/// The record of a session, from which another process can open it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionRecord {
    /// The principal that opened the session.
    pub owner: Option<Principal>,
    /// The parameters of the client's `initialize`, as JSON.
    pub initialize: Bytes,
    /// The client's log level and subscriptions, as JSON that only this library reads; empty until
    /// the client sets them. At most as long as the URIs of 1000 resources.
    pub state: Bytes,
}

impl SessionRecord {
    /// Creates the record of a session that `owner` opened with the parameters `initialize`, in
    /// JSON.
    #[must_use]
    pub fn new(owner: Option<Principal>, initialize: impl Into<Bytes>) -> Self {
        Self {
            owner,
            initialize: initialize.into(),
            state: Bytes::new(),
        }
    }

    /// Sets the [state](Self::state) of the session.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<Bytes>) -> Self {
        self.state = state.into();
        self
    }
}

/// Repeats a call of a store until the store is available, and returns the result.
pub(crate) async fn available<T>(mut call: impl FnMut() -> BoxFuture<Result<T, StoreError>>) -> T {
    loop {
        match call().await {
            Ok(value) => return value,
            Err(error) => {
                crate::log::warn!(%error, "a session that has ended can't be removed yet");
            }
        }
        tokio::time::sleep(STORE_PAUSE).await;
    }
}

/// Stores sessions in memory. Clones share their sessions, so servers with clones of the store
/// share them as well.
#[derive(Clone, Default)]
pub struct MemorySessionStore {
    kept: Arc<Mutex<HashMap<SessionId, StoredRecord>>>,
}

struct StoredRecord {
    record: SessionRecord,
    until: Instant,
}

impl MemorySessionStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, StoredRecord>> {
        lock(&self.kept)
    }
}

impl SessionStore for MemorySessionStore {
    fn insert(
        &self,
        id: SessionId,
        record: SessionRecord,
        idle: Duration,
    ) -> BoxFuture<Result<(), StoreError>> {
        let now = Instant::now();
        let mut kept = self.lock();
        // Expired sessions are removed only when the map is full, so the amortized cost is small.
        if kept.len() == kept.capacity() {
            kept.retain(|_, session| session.until > now);
        }
        let until = now + idle.min(FOREVER);
        kept.insert(id, StoredRecord { record, until });
        Box::pin(ready(Ok(())))
    }

    fn find(&self, id: SessionId) -> BoxFuture<Result<Option<SessionRecord>, StoreError>> {
        let kept = self.lock();
        let session = kept.get(&id).filter(|kept| kept.until > Instant::now());
        Box::pin(ready(Ok(session.map(|kept| kept.record.clone()))))
    }

    fn renew(&self, id: SessionId, idle: Duration) -> BoxFuture<Result<Option<Bytes>, StoreError>> {
        let now = Instant::now();
        let mut kept = self.lock();
        let session = kept.get_mut(&id).filter(|kept| kept.until > now);
        let state = session.map(|kept| {
            kept.until = now + idle.min(FOREVER);
            kept.record.state.clone()
        });
        Box::pin(ready(Ok(state)))
    }

    fn set_state(&self, id: SessionId, state: Bytes) -> BoxFuture<Result<(), StoreError>> {
        if let Some(kept) = self.lock().get_mut(&id) {
            kept.record.state = state;
        }
        Box::pin(ready(Ok(())))
    }

    fn remove(&self, id: SessionId) -> BoxFuture<Result<(), StoreError>> {
        self.lock().remove(&id);
        Box::pin(ready(Ok(())))
    }
}

impl fmt::Debug for MemorySessionStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySessionStore")
            .field("kept", &self.lock().len())
            .finish()
    }
}

/// The id of a session: 128 random bits, written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(u128);

impl SessionId {
    /// Creates the id with these bits.
    #[must_use]
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Creates a random id, which can't be guessed.
    ///
    /// # Errors
    ///
    /// When the operating system can't supply random bytes.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(u128::from_ne_bytes(bytes)))
    }

    /// Returns a part of the id, for numbers that must differ between processes.
    pub(crate) fn low_bits(self) -> u64 {
        // The highest bit stays free, so the number can be incremented.
        (self.0 as u64) >> 1
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Returns the first id of the server's own requests in one session.
///
/// The id is random, to keep a process from mistaking the answer to a request of another process in
/// the same session for its own. The id is below 2^52, so that ids are exact in JavaScript.
///
/// # Errors
///
/// When the operating system can't supply random bytes.
pub(crate) fn first_request_id() -> Result<i64, getrandom::Error> {
    // JavaScript is exact up to 2^53, so half of the range is left to count up.
    const MASK: u64 = (1 << 52) - 1;
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok((u64::from_ne_bytes(bytes) & MASK) as i64)
}

/// Shortened, so that logs can't be used to take over a session.
impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({:08x}…)", self.0 >> 96)
    }
}

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(text: &str) -> Result<Self, InvalidSessionId> {
        if text.len() != 32 {
            return Err(InvalidSessionId);
        }
        let mut bits = 0;
        for byte in text.bytes() {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return Err(InvalidSessionId),
            };
            bits = bits << 4 | u128::from(digit);
        }
        Ok(Self(bits))
    }
}

/// The error for a string that is not a session id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session id has 32 hexadecimal digits")]
pub struct InvalidSessionId;

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn a_session_is_kept_as_long_as_it_is_used() {
        let store = MemorySessionStore::new();
        let id = SessionId::new(7);
        let record = SessionRecord::new(Some(Principal::new("ann")), "{}");
        store.insert(id, record.clone(), IDLE).await.unwrap();
        for _ in 0..3 {
            tokio::time::sleep(IDLE * 3 / 4).await;
            assert_eq!(store.renew(id, IDLE).await.unwrap(), Some(Bytes::new()));
        }
        store.set_state(id, "{}".into()).await.unwrap();
        assert_eq!(store.renew(id, IDLE).await.unwrap(), Some("{}".into()));
        assert_eq!(store.find(id).await.unwrap(), Some(record.with_state("{}")));
        tokio::time::sleep(IDLE).await;
        assert_eq!(store.renew(id, IDLE).await.unwrap(), None);
        assert_eq!(store.find(id).await.unwrap(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_that_are_over_make_room() {
        let store = MemorySessionStore::new();
        for round in 0..10 {
            for number in 0..100 {
                let id = SessionId::new(round * 100 + number);
                let record = SessionRecord::new(None, "{}");
                store.insert(id, record, IDLE).await.unwrap();
            }
            tokio::time::sleep(IDLE).await;
        }
        assert!(store.lock().len() < 500, "{store:?}");
        store.remove(SessionId::new(999)).await.unwrap();
        let found = store.find(SessionId::new(999)).await.unwrap();
        assert_eq!(found, None);
    }

    #[test]
    fn names_round_trip_and_differ() {
        let id = SessionId::random().unwrap();
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_ne!(SessionId::random().unwrap(), id);
        assert_eq!(SessionId::new(1).to_string().len(), 32);
    }

    #[test]
    fn only_what_was_given_out_is_a_name() {
        let upper = "0000000000000000000000000000000A";
        for text in ["", "1", "+0000000000000000000000000000001", upper] {
            assert!(text.parse::<SessionId>().is_err(), "{text}");
        }
        assert!(!format!("{:?}", SessionId::new(0xabc)).contains("abc"));
    }
}
