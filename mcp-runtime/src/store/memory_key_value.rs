//! A store within one process.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::{KeyValue, PutMode, StoreFuture, Version, Versioned};
use crate::limits::FOREVER;
use crate::sync::lock;

/// A [`KeyValue`] in the memory of the process. Clones share their values, so servers with clones of
/// the store serve the same clients.
///
/// The store has no limit of its own: the number of values depends on the limits of those who use
/// it, such as [`HttpOptions::max_sessions`](crate::transport::http::HttpOptions::max_sessions).
#[derive(Clone, Default)]
pub struct MemoryKeyValue {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    values: HashMap<String, Stored>,
    last_version: u64,
}

struct Stored {
    found: Versioned,
    until: Instant,
}

impl MemoryKeyValue {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Kept {
    /// Returns the value of a key if its time has not passed.
    fn get(&mut self, key: &str, now: Instant) -> Option<&mut Stored> {
        self.values.get_mut(key).filter(|stored| stored.until > now)
    }

    fn put(&mut self, key: &str, value: Bytes, ttl: Duration, mode: PutMode) -> Option<Version> {
        let now = Instant::now();
        let current = self.get(key, now).map(|stored| stored.found.version);
        let allowed = match mode {
            PutMode::Overwrite => true,
            PutMode::Create => current.is_none(),
            PutMode::Update(version) => current == Some(version),
        };
        if !allowed {
            return None;
        }
        // Expired values are removed only when the map is full, so the amortized cost is small.
        if self.values.len() == self.values.capacity() {
            self.values.retain(|_, stored| stored.until > now);
        }
        self.last_version += 1;
        let version = Version::new(self.last_version);
        let stored = Stored {
            found: Versioned { value, version },
            until: now + ttl.min(FOREVER),
        };
        self.values.insert(key.to_owned(), stored);
        Some(version)
    }

    fn remove(&mut self, key: &str, version: Option<Version>) -> bool {
        let current = self.get(key, Instant::now());
        let is_same = |stored: &mut Stored| version.is_none_or(|it| it == stored.found.version);
        current.is_some_and(is_same) && self.values.remove(key).is_some()
    }
}

impl KeyValue for MemoryKeyValue {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        let now = Instant::now();
        let mut kept = lock(&self.kept);
        let found = kept.get(key, now).map(|stored| {
            if let Some(renew) = renew {
                stored.until = now + renew.min(FOREVER);
            }
            stored.found.clone()
        });
        Box::pin(ready(Ok(found)))
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        Box::pin(ready(Ok(lock(&self.kept).put(key, value, ttl, mode))))
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        Box::pin(ready(Ok(lock(&self.kept).remove(key, version))))
    }
}

impl fmt::Debug for MemoryKeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = lock(&self.kept).values.len();
        f.debug_struct("MemoryKeyValue")
            .field("values", &values)
            .finish()
    }
}
