//! The trait of key-value stores.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::connection::BoxFuture;
use crate::limits::STORE_PAUSE;

/// Keeps values under keys for a limited time.
///
/// Processes that share a store can serve the same clients. The library keeps sessions, proofs and
/// logins in it, each kind under its own prefix of the key. Keys are printable ASCII of at most 512
/// bytes, and values have at most 4 MiB.
///
/// Requests wait for the store, so each call must end within about half a second. If a call fails,
/// the request is answered with 503 and `Retry-After`, nothing ends, and the next request may
/// succeed.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_runtime::store::{KeyValue, MemoryKeyValue, PutMode, StoreError};
///
/// /// Counts under a key, also if other processes count under it at the same time.
/// async fn count(store: &impl KeyValue, key: &str) -> Result<u64, StoreError> {
///     let day = Duration::from_secs(24 * 60 * 60);
///     loop {
///         let (count, mode) = match store.get(key, None).await? {
///             Some(found) => {
///                 let count = String::from_utf8_lossy(&found.value).parse().unwrap_or(0);
///                 (count, PutMode::Update(found.version))
///             }
///             None => (0, PutMode::Create),
///         };
///         let next = (count + 1).to_string().into();
///         if store.put(key, next, day, mode).await?.is_some() {
///             return Ok(count + 1);
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// let store = MemoryKeyValue::new();
/// assert_eq!(count(&store, "visits").await?, 1);
/// assert_eq!(count(&store, "visits").await?, 2);
/// # Ok(())
/// # }
/// ```
pub trait KeyValue: Send + Sync + 'static {
    /// Returns the value of a key; `None` if there is no value or its time has passed. If `renew` is
    /// given, the value is kept for that long from now on, even if that is shorter than before. The
    /// version stays the same.
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>>;

    /// Sets the value of a key for the time `ttl`, and returns its version. Returns `None`, and
    /// changes nothing, if `mode` does not allow the value to be set. The check and the change are
    /// one atomic step.
    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>>;

    /// Removes the value of a key; if `version` is given, only if the value still has that version.
    /// Returns true if a value was removed. The check and the change are one atomic step.
    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool>;
}

/// The future of a call of a store.
pub type StoreFuture<T> = BoxFuture<Result<T, StoreError>>;

/// When [`KeyValue::put`] may set a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutMode {
    /// Always.
    Overwrite,
    /// Only if the key has no value.
    Create,
    /// Only if the value still has this version.
    Update(Version),
}

/// A value with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned {
    /// The value.
    pub value: Bytes,
    /// The version, which changes with each [`put`](KeyValue::put).
    pub version: Version,
}

/// The version of a value. No version is used twice for the same key, even after the value was
/// removed. A random number is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version(u64);

impl Version {
    /// Creates the version with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number of the version.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The store can't be reached, does not answer in time, or has no room.
///
/// Whether a value exists is never an error.
#[derive(Debug, thiserror::Error)]
#[error("the store is unavailable: {0}")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// Creates the error with its cause, which is an error or a string.
    #[must_use]
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// Repeats a call of a store until the store is available, and returns the result.
pub(crate) async fn available<T>(mut call: impl FnMut() -> StoreFuture<T>) -> T {
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

impl<S: KeyValue + ?Sized> KeyValue for Arc<S> {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        (**self).get(key, renew)
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        (**self).put(key, value, ttl, mode)
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        (**self).remove(key, version)
    }
}
