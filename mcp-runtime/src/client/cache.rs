//! Cache of responses (2026-07-28, "Caching").

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_types::{CacheScope, RawJson, Request, methods};
use serde::Deserialize;

use super::notifications::Changed;
use crate::limits::{MAX_CACHED_ANSWERS, MAX_CACHED_BYTES};

/// Keeps the answers of a server for as long as it allows: lists, and the contents of resources
/// (2026-07-28, "Caching"). At most 1,024 answers and 16 MiB.
///
/// Cloning is cheap: the clones share what is kept. Clients that are given the same cache share
/// the answers that the server marks as public, so it must be the same server. Other answers are
/// kept for each client by itself. An answer is forgotten as soon as the server announces a change.
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

/// A cache as one client uses it. Dropping it removes the client's private answers.
pub(super) struct ClientCache {
    cache: ResponseCache,
    client: u64,
}

impl ClientCache {
    pub(super) fn new(cache: ResponseCache) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            cache,
            client: LAST.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// The key of the answer to `params`; `None` for requests whose answers are never kept.
    pub(super) fn key<R: Request>(&self, params: &R::Params) -> Option<CacheKey> {
        let is_cacheable = matches!(
            R::METHOD,
            methods::TOOLS_LIST
                | methods::PROMPTS_LIST
                | methods::RESOURCES_LIST
                | methods::RESOURCES_TEMPLATES_LIST
                | methods::RESOURCES_READ
        );
        let params = is_cacheable.then(|| serde_json::to_string(params).ok())??;
        Some(CacheKey {
            method: R::METHOD,
            params: params.into(),
            generation: self.cache.lock().generation,
        })
    }

    /// The answer under `key`, unless it has expired.
    pub(super) fn get(&self, key: &CacheKey) -> Option<RawJson> {
        self.cache.lock().get(self.client, key, now())
    }

    /// Keeps an answer as long as its `ttlMs` allows.
    pub(super) fn put(&self, key: CacheKey, result: &RawJson) {
        if let Some(hints) = Hints::of(result) {
            let mut entries = self.cache.lock();
            entries.put(self.client, key, result, hints, now());
        }
    }

    /// Forgets the answers that a change concerns.
    pub(super) fn invalidate(&self, changed: &Changed) {
        self.cache.lock().invalidate(|method| match changed {
            Changed::Tools => method == methods::TOOLS_LIST,
            Changed::Prompts => method == methods::PROMPTS_LIST,
            Changed::Resources => matches!(
                method,
                methods::RESOURCES_LIST | methods::RESOURCES_TEMPLATES_LIST
            ),
            // One resource may be a part of another.
            Changed::Resource(_) => method == methods::RESOURCES_READ,
        });
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.cache.clear();
    }
}

impl Drop for ClientCache {
    fn drop(&mut self) {
        let client = Some(self.client);
        self.cache.lock().retain(|(owner, ..), _| *owner != client);
    }
}

/// The place of one answer in the cache.
#[derive(Clone)]
pub(super) struct CacheKey {
    method: &'static str,
    /// The parameters, as they are sent.
    params: Arc<str>,
    /// The generation of the cache when the request was sent.
    generation: u64,
}

/// Client (`None` for a public answer), method and parameters.
type EntryKey = (Option<u64>, &'static str, Arc<str>);

/// The table of answers.
#[derive(Debug, Default)]
struct Entries {
    entries: HashMap<EntryKey, Entry>,
    bytes: usize,
    /// Number of invalidations. An answer that was overtaken by one is not kept.
    generation: u64,
}

#[derive(Debug)]
struct Entry {
    result: RawJson,
    expires: Instant,
}

impl Entries {
    fn get(&self, client: u64, key: &CacheKey, now: Instant) -> Option<RawJson> {
        let found = [Some(client), None].into_iter().find_map(|owner| {
            let entry = self.entries.get(&(owner, key.method, key.params.clone()))?;
            (now < entry.expires).then_some(entry)
        });
        Some(found?.result.clone())
    }

    fn put(&mut self, client: u64, key: CacheKey, result: &RawJson, hints: Hints, now: Instant) {
        let size = result.get().len();
        let Some(expires) = now.checked_add(hints.ttl) else {
            return;
        };
        if key.generation != self.generation || size > MAX_CACHED_BYTES {
            return;
        }
        let key = ((!hints.public).then_some(client), key.method, key.params);
        self.retain(|other, _| *other != key);
        self.make_room(size, now);
        self.bytes += size;
        let result = result.clone();
        self.entries.insert(key, Entry { result, expires });
    }

    /// Removes expired answers, then those that expire first, until `size` more bytes fit.
    fn make_room(&mut self, size: usize, now: Instant) {
        let is_full = |entries: &Self| {
            entries.entries.len() >= MAX_CACHED_ANSWERS || entries.bytes + size > MAX_CACHED_BYTES
        };
        if is_full(self) {
            self.retain(|_, entry| now < entry.expires);
        }
        while is_full(self) {
            let first = self.entries.iter().min_by_key(|(_, entry)| entry.expires);
            let Some(key) = first.map(|(key, _)| key.clone()) else {
                return;
            };
            self.retain(|other, _| *other != key);
        }
    }

    /// Removes the answers to the methods that are stale, for all clients.
    fn invalidate(&mut self, is_stale: impl Fn(&str) -> bool) {
        self.generation += 1;
        self.retain(|(_, method, _), _| !is_stale(method));
    }

    fn retain(&mut self, keep: impl Fn(&EntryKey, &Entry) -> bool) {
        self.entries.retain(|key, entry| keep(key, entry));
        let sizes = self.entries.values().map(|entry| entry.result.get().len());
        self.bytes = sizes.sum();
    }
}

/// How long a result may be kept, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hints {
    ttl: Duration,
    /// Whether other clients may get it.
    public: bool,
}

impl Hints {
    /// The hints in `result`; `None` where it may not be kept.
    fn of(result: &RawJson) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            // A negative one means that nothing may be kept.
            ttl_ms: Option<i64>,
            cache_scope: Option<CacheScope>,
        }

        let members: Members = result.parse().ok()?;
        let ttl = u64::try_from(members.ttl_ms?).ok();
        Some(Self {
            ttl: Duration::from_millis(ttl.filter(|ttl| *ttl > 0)?),
            public: members.cache_scope == Some(CacheScope::Public),
        })
    }
}

/// The time by tokio's clock, which tests can stop.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn key(params: &str) -> CacheKey {
        CacheKey {
            method: "tools/list",
            params: params.into(),
            generation: 0,
        }
    }

    fn hints(seconds: u32, public: bool) -> Hints {
        Hints {
            ttl: seconds * SECOND,
            public,
        }
    }

    fn result(text: &str) -> RawJson {
        RawJson::new(text).unwrap()
    }

    #[test]
    fn an_answer_is_kept_for_as_long_and_for_whom_it_says() {
        let (mut entries, now) = (Entries::default(), Instant::now());
        entries.put(1, key("a"), &result("mine"), hints(10, false), now);
        entries.put(1, key("b"), &result("ours"), hints(10, true), now);
        let later = now + 9 * SECOND;
        assert_eq!(entries.get(1, &key("a"), later), Some(result("mine")));
        assert_eq!(entries.get(2, &key("a"), later), None);
        assert_eq!(entries.get(2, &key("b"), later), Some(result("ours")));
        assert_eq!(entries.get(1, &key("a"), now + 10 * SECOND), None);
    }

    #[test]
    fn what_has_changed_is_forgotten_also_if_it_is_still_on_its_way() {
        let (mut entries, now) = (Entries::default(), Instant::now());
        entries.put(1, key("a"), &result("old"), hints(10, true), now);
        entries.invalidate(|method| method == "tools/list");
        assert_eq!(entries.get(1, &key("a"), now), None);
        entries.put(1, key("a"), &result("old"), hints(10, true), now);
        assert_eq!(entries.get(1, &key("a"), now), None);
        let mut asked_again = key("a");
        asked_again.generation = entries.generation;
        entries.put(1, asked_again, &result("new"), hints(10, true), now);
        assert_eq!(entries.get(1, &key("a"), now), Some(result("new")));
    }

    #[test]
    fn little_is_kept_and_what_lasts_longest_stays() {
        let (mut entries, now) = (Entries::default(), Instant::now());
        for number in 0..2000 {
            let hints = hints(5000 - number, false);
            entries.put(1, key(&number.to_string()), &result("x"), hints, now);
        }
        assert_eq!(entries.entries.len(), MAX_CACHED_ANSWERS);
        assert!(entries.get(1, &key("0"), now).is_some());
        let large = result(&"x".repeat(MAX_CACHED_BYTES - 10));
        entries.put(1, key("large"), &large, hints(1, false), now);
        assert!(entries.bytes <= MAX_CACHED_BYTES);
        assert!(entries.get(1, &key("large"), now).is_some());
        entries.invalidate(|_| true);
        assert_eq!(entries.bytes, 0);
    }

    #[test]
    fn only_what_has_a_lifetime_is_kept_and_only_for_oneself_unless_it_is_public() {
        let hints = |json: &str| Hints::of(&serde_json::from_str(json).unwrap());
        for json in [
            "{}",
            r#"{"ttlMs":0}"#,
            r#"{"ttlMs":-5}"#,
            r#"{"ttlMs":"x"}"#,
        ] {
            assert_eq!(hints(json), None, "{json}");
        }
        let ttl = Duration::from_millis(5);
        for (scope, public) in [("public", true), ("private", false), ("other", false)] {
            let json = format!(r#"{{"ttlMs":5,"cacheScope":"{scope}"}}"#);
            assert_eq!(hints(&json), Some(Hints { ttl, public }));
        }
        let public = false;
        assert_eq!(hints(r#"{"ttlMs":5}"#), Some(Hints { ttl, public }));
    }
}
