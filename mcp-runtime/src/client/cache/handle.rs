//! The cache, and a client's part in it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mcp_types::{RawJson, Request, methods};

use super::entries::{Entries, Key};
use super::hints::Hints;
use crate::client::observers::Changed;

/// Keeps the answers of a server for as long as it says that they are good: lists, and what
/// resources contain (2026-07-28, "Caching"). At most 1,024 answers and 16 MiB.
///
/// Cloning is cheap: the clones share what is kept. Clients that are given the same cache share
/// what the server calls public, so it must be the same server. What it does not call public is
/// kept for each client by itself; and what the server says has changed is forgotten at once.
///
/// ```
/// use mcp_runtime::Client;
/// use mcp_runtime::client::ResponseCache;
///
/// let cache = ResponseCache::new();
/// let one = Client::builder("one", "1.0.0").cache(cache.clone());
/// let other = Client::builder("other", "1.0.0").cache(cache);
/// # drop((one, other));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ResponseCache {
    entries: Arc<Mutex<Entries>>,
}

/// A client's part in a cache.
#[derive(Debug)]
pub(in crate::client) struct Kept {
    cache: ResponseCache,
    caller: u64,
}

/// The place of one answer in a cache.
pub(in crate::client) struct Cached<'a> {
    kept: &'a Kept,
    key: Key,
    generation: u64,
}

impl ResponseCache {
    /// An empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.lock().invalidate(|_| true);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    pub(in crate::client) fn new(cache: ResponseCache) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            cache,
            caller: LAST.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The place of the answer to `params`, if it is one that may be kept.
    pub(in crate::client) fn place<R: Request>(&self, params: &R::Params) -> Option<Cached<'_>> {
        let params = serde_json::to_string(params).ok();
        let key = Key {
            method: R::METHOD,
            params: params.filter(|_| is_cacheable(R::METHOD))?.into(),
        };
        Some(Cached {
            generation: self.cache.lock().generation(),
            kept: self,
            key,
        })
    }

    /// Forgets what has changed.
    pub(in crate::client) fn changed(&self, changed: &Changed) {
        self.cache.lock().invalidate(|key| is_about(key, changed));
    }

    /// Forgets everything: it is not known what has changed.
    pub(in crate::client) fn clear(&self) {
        self.cache.clear();
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.cache.lock().leave(self.caller);
    }
}

impl Cached<'_> {
    /// The answer, if it is there and still good.
    pub(in crate::client) fn get(&self) -> Option<RawJson> {
        let entries = self.kept.cache.lock();
        entries.get(self.kept.caller, &self.key, now())
    }

    /// Keeps an answer, if that is allowed.
    pub(in crate::client) fn put(self, result: &RawJson) {
        if let Some(hints) = Hints::of(result) {
            let mut entries = self.kept.cache.lock();
            let (caller, key, generation) = (self.kept.caller, self.key, self.generation);
            entries.put(caller, key, result, hints, generation, now());
        }
    }
}

fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        methods::TOOLS_LIST
            | methods::PROMPTS_LIST
            | methods::RESOURCES_LIST
            | methods::RESOURCES_TEMPLATES_LIST
            | methods::RESOURCES_READ
    )
}

fn is_about(key: &Key, changed: &Changed) -> bool {
    match changed {
        Changed::Tools => key.method == methods::TOOLS_LIST,
        Changed::Prompts => key.method == methods::PROMPTS_LIST,
        Changed::Resources => matches!(
            key.method,
            methods::RESOURCES_LIST | methods::RESOURCES_TEMPLATES_LIST
        ),
        // What has changed may be a part of what was read, or the other way round.
        Changed::Resource(_) => key.method == methods::RESOURCES_READ,
    }
}

/// The time by tokio's clock, which tests can stop.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
