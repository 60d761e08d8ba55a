//! The response cache (2026-07-28, "Caching").

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use mcp_types::{CacheScope, RawJson, methods};
use serde::Deserialize;
use tokio::time::Instant;

use crate::connection::PrincipalChanges;
use crate::limits::{MAX_CACHED_ANSWERS, MAX_CACHED_BYTES};
use crate::protocol::Change;
use crate::sync::lock;

/// Caches lists and the contents of resources for as long as the server allows (2026-07-28,
/// "Caching"). Holds at most 1,024 answers and 16 MiB.
///
/// Clones are cheap and share the cached answers. Clients with the same cache share the answers that
/// the server marks as public, so all of them must connect to the same server. Other answers are
/// cached separately for each client. An answer is dropped as soon as the server announces a change.
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
    entries: Arc<Mutex<CachedAnswers>>,
}

impl ResponseCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all answers.
    pub fn clear(&self) {
        self.lock().invalidate(|_| true);
    }

    fn lock(&self) -> MutexGuard<'_, CachedAnswers> {
        lock(&self.entries)
    }
}

/// Returns true if results of `method` may be cached. Results of `server/discover` are not requested
/// through the cache.
pub(crate) fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        methods::TOOLS_LIST
            | methods::PROMPTS_LIST
            | methods::RESOURCES_LIST
            | methods::RESOURCES_TEMPLATES_LIST
            | methods::RESOURCES_READ
    )
}

/// A client's view of the cache. Dropping it removes the client's private answers.
pub(super) struct ClientCache {
    cache: ResponseCache,
    client: u64,
    /// The changes of the principal that the client calls as, and the number of handled changes.
    principal: Mutex<(PrincipalChanges, u64)>,
}

impl ClientCache {
    pub(super) fn new(cache: ResponseCache) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            cache,
            client: LAST.fetch_add(1, Ordering::Relaxed),
            principal: Mutex::default(),
        }
    }

    /// Follows the principal of the connection that is about to be opened.
    pub(super) fn set_principal(&self, principal: PrincipalChanges) {
        let mut known = lock(&self.principal);
        known.0 = principal;
    }

    /// Removes the client's private answers if its principal has changed. Starts a new generation
    /// to avoid caching answers to requests in flight.
    fn check_principal(&self) {
        let mut known = lock(&self.principal);
        let changes = known.0.count();
        if std::mem::replace(&mut known.1, changes) != changes {
            self.cache.lock().generation += 1;
            self.forget_private();
        }
    }

    fn forget_private(&self) {
        let client = Some(self.client);
        let mut entries = self.cache.lock();
        entries.table.retain(|(owner, ..), _| *owner != client);
    }

    /// Returns the place of the answer to `params`, or `None` if the method is not cacheable.
    pub(super) fn place(&self, method: &'static str, params: &RawJson) -> Option<CachePlace<'_>> {
        self.check_principal();
        is_cacheable(method).then(|| CachePlace {
            cache: self,
            method,
            params: params.get().into(),
            generation: self.cache.lock().generation,
        })
    }

    pub(super) fn invalidate(&self, changed: &Change) {
        self.cache.lock().invalidate(|method| match changed {
            Change::Tools => method == methods::TOOLS_LIST,
            Change::Prompts => method == methods::PROMPTS_LIST,
            Change::Resources => matches!(
                method,
                methods::RESOURCES_LIST | methods::RESOURCES_TEMPLATES_LIST
            ),
            // The changed resource may be part of others, so the contents of all are stale.
            Change::Resource(_) => method == methods::RESOURCES_READ,
        });
    }

    pub(super) fn clear(&self) {
        self.cache.clear();
    }
}

impl Drop for ClientCache {
    fn drop(&mut self) {
        self.forget_private();
    }
}

pub(super) struct CachePlace<'a> {
    cache: &'a ClientCache,
    method: &'static str,
    /// The parameters as they are sent, in JSON.
    params: Arc<str>,
    generation: u64,
}

impl CachePlace<'_> {
    pub(super) fn get(&self) -> Option<RawJson> {
        let entries = self.cache.cache.lock();
        [Some(self.cache.client), None]
            .into_iter()
            .find_map(|owner| {
                let key = (owner, self.method, Arc::clone(&self.params));
                let entry = entries.table.get(&key)?;
                (Instant::now() < entry.expires).then(|| entry.result.clone())
            })
    }

    /// Caches an answer for as long as its `ttlMs` allows. If its `cacheScope` is public, other
    /// clients use the answer as well.
    pub(super) fn put(self, result: &RawJson) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Hints {
            // A negative value means the same as 0: the answer must not be cached.
            ttl_ms: Option<f64>,
            cache_scope: Option<CacheScope>,
        }

        let Ok(hints) = result.parse::<Hints>() else {
            return;
        };
        self.cache.check_principal();
        let seconds = hints.ttl_ms.unwrap_or_default().max(0.0) / 1000.0;
        let ttl = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let expires = Instant::now().checked_add(ttl);
        let mut entries = self.cache.cache.lock();
        let size = result.get().len();
        let is_fresh = !ttl.is_zero() && self.generation == entries.generation;
        let Some(expires) = expires.filter(|_| is_fresh && size <= MAX_CACHED_BYTES) else {
            return;
        };
        let is_public = hints.cache_scope == Some(CacheScope::Public);
        let owner = (!is_public).then_some(self.cache.client);
        let key = (owner, self.method, self.params);
        entries.table.remove(&key);
        entries.make_room(size);
        let result = result.clone();
        entries.table.insert(key, CachedAnswer { result, expires });
    }
}

/// The client (`None` for public answers), the method and the parameters.
type AnswerKey = (Option<u64>, &'static str, Arc<str>);

#[derive(Debug, Default)]
struct CachedAnswers {
    table: HashMap<AnswerKey, CachedAnswer>,
    /// Incremented by each invalidation. An answer to a request of an earlier generation is not
    /// cached, because it may already be stale.
    generation: u64,
}

#[derive(Debug)]
struct CachedAnswer {
    result: RawJson,
    expires: Instant,
}

impl CachedAnswers {
    /// Removes answers until `size` more bytes fit, beginning with the answers that expire first.
    fn make_room(&mut self, size: usize) {
        while self.table.len() >= MAX_CACHED_ANSWERS || self.bytes() + size > MAX_CACHED_BYTES {
            let first = self.table.iter().min_by_key(|(_, entry)| entry.expires);
            let Some(first) = first.map(|(key, _)| key.clone()) else {
                return;
            };
            self.table.remove(&first);
        }
    }

    fn bytes(&self) -> usize {
        let sizes = self.table.values().map(|entry| entry.result.get().len());
        sizes.sum()
    }

    /// Removes the answers to stale methods, for all clients.
    fn invalidate(&mut self, is_stale: impl Fn(&str) -> bool) {
        self.generation += 1;
        self.table.retain(|(_, method, _), _| !is_stale(method));
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::ReadResourceRequestParams;

    use super::*;

    fn put(cache: &ClientCache, uri: &str, result: &str) {
        let result = serde_json::from_str(result).unwrap();
        place(cache, uri).put(&result);
    }

    fn place<'a>(cache: &'a ClientCache, uri: &str) -> CachePlace<'a> {
        let params = RawJson::encode(&ReadResourceRequestParams::new(uri));
        cache.place(methods::RESOURCES_READ, &params).unwrap()
    }

    fn has(cache: &ClientCache, uri: &str) -> bool {
        place(cache, uri).get().is_some()
    }

    #[test]
    fn a_change_of_the_principal_forgets_private_answers() {
        let shared = ResponseCache::new();
        let one = ClientCache::new(shared.clone());
        let other = ClientCache::new(shared);
        let principal = PrincipalChanges::default();
        one.set_principal(principal.clone());
        for cache in [&one, &other] {
            put(cache, "private", r#"{"ttlMs":60000}"#);
        }
        put(&one, "public", r#"{"ttlMs":60000,"cacheScope":"public"}"#);
        let under_way = place(&one, "late");
        principal.changed();
        under_way.put(&serde_json::from_str(r#"{"ttlMs":60000}"#).unwrap());
        assert!(!has(&one, "private") && !has(&one, "late"));
        assert!(has(&one, "public") && has(&other, "private"));
        // A change is also noticed if the connection was reopened after it.
        put(&one, "private", r#"{"ttlMs":60000}"#);
        principal.changed();
        one.set_principal(principal);
        assert!(!has(&one, "private"));
    }

    #[test]
    fn only_what_has_a_lifetime_is_kept_and_only_for_oneself_unless_it_is_public() {
        let shared = ResponseCache::new();
        let one = ClientCache::new(shared.clone());
        let other = ClientCache::new(shared);
        for json in [
            "{}",
            r#"{"ttlMs":0}"#,
            r#"{"ttlMs":-5}"#,
            r#"{"ttlMs":"x"}"#,
        ] {
            put(&one, "a", json);
            assert!(!has(&one, "a"), "{json}");
        }
        for (scope, public) in [("public", true), ("private", false), ("other", false)] {
            put(
                &one,
                scope,
                &format!(r#"{{"ttlMs":5000,"cacheScope":"{scope}"}}"#),
            );
            assert!(has(&one, scope));
            assert_eq!(has(&other, scope), public, "{scope}");
        }
        drop(one);
        assert!(has(&other, "public"));
        assert_eq!(other.cache.lock().table.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_kept_for_as_long_as_it_may() {
        let cache = ClientCache::new(ResponseCache::new());
        put(&cache, "a", r#"{"ttlMs":5000}"#);
        tokio::time::advance(Duration::from_millis(4999)).await;
        assert!(has(&cache, "a"));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!has(&cache, "a"));
    }

    #[test]
    fn an_answer_that_is_overtaken_by_a_change_is_not_kept() {
        let cache = ClientCache::new(ResponseCache::new());
        let before = place(&cache, "a");
        cache.invalidate(&Change::Resource("a".to_owned()));
        before.put(&serde_json::from_str(r#"{"ttlMs":5000}"#).unwrap());
        assert!(!has(&cache, "a"));
    }

    #[test]
    fn little_is_kept_and_what_lasts_longest_stays() {
        let cache = ClientCache::new(ResponseCache::new());
        for number in 0..2000 {
            let ttl = 5_000_000 - 1000 * number;
            put(
                &cache,
                &number.to_string(),
                &format!(r#"{{"ttlMs":{ttl}}}"#),
            );
        }
        assert_eq!(cache.cache.lock().table.len(), MAX_CACHED_ANSWERS);
        assert!(has(&cache, "0"));
        let text = "x".repeat(MAX_CACHED_BYTES - 50);
        put(
            &cache,
            "large",
            &format!(r#"{{"ttlMs":1000,"x":"{text}"}}"#),
        );
        assert!(cache.cache.lock().bytes() <= MAX_CACHED_BYTES);
        assert!(has(&cache, "large"));
        cache.clear();
        assert_eq!(cache.cache.lock().bytes(), 0);
    }
}
