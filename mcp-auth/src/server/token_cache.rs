//! A cache for results about tokens and URLs.

use std::collections::HashMap;
use std::mem;
use std::sync::Mutex;
use std::time::SystemTime;

use tokio::sync::watch;

use crate::limits::server::CACHE_HALF;
use crate::util::{lock, sha256};

/// The SHA-256 hash of a token.
pub(crate) type TokenHash = [u8; 32];

#[derive(Clone, Copy)]
pub(super) struct SentToken<'a> {
    pub(super) text: &'a str,
    pub(super) hash: TokenHash,
    pub(super) now: SystemTime,
}

impl<'a> SentToken<'a> {
    pub(super) fn new(text: &'a str, now: SystemTime) -> Self {
        let hash = sha256(text);
        Self { text, hash, now }
    }
}

/// A cache of the most recently used values, keyed by the hash of a token or a URL. It holds at
/// most two times `HALF` values.
pub(crate) struct TokenCache<V, const HALF: usize = CACHE_HALF>(Mutex<Halves<V>>);

/// New values go into `young`. When `young` is full, it replaces `old`, whose values are dropped.
struct Halves<V> {
    young: HashMap<TokenHash, V>,
    old: HashMap<TokenHash, V>,
}

impl<V, const HALF: usize> Default for TokenCache<V, HALF> {
    fn default() -> Self {
        Self(Mutex::new(Halves {
            young: HashMap::new(),
            old: HashMap::new(),
        }))
    }
}

impl<V: Clone, const HALF: usize> TokenCache<V, HALF> {
    pub(crate) fn get(&self, hash: &TokenHash) -> Option<V> {
        let mut halves = lock(&self.0);
        if let Some(found) = halves.young.get(hash) {
            return Some(found.clone());
        }
        let found = halves.old.remove(hash)?;
        halves.insert(*hash, found.clone(), HALF);
        Some(found)
    }

    pub(crate) fn insert(&self, hash: TokenHash, value: V) {
        let mut halves = lock(&self.0);
        halves.insert(hash, value, HALF);
    }
}

impl<V> Halves<V> {
    fn insert(&mut self, hash: TokenHash, value: V, max: usize) {
        if self.young.len() >= max {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(hash, value);
    }
}

/// Running work whose result is shared by all clones.
#[derive(Clone)]
pub(super) struct Flight<T>(watch::Receiver<Option<T>>);

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// Starts the work in its own task, so it continues for the other waiters if a request is
    /// abandoned.
    pub(super) fn begin(work: impl Future<Output = T> + Send + 'static) -> Self {
        let (sender, result) = watch::channel(None);
        tokio::spawn(async move { sender.send_replace(Some(work.await)) });
        Self(result)
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.0.borrow().is_none() && self.0.has_changed().is_ok()
    }

    /// Waits for the result. Returns `None` if the work panicked.
    pub(super) async fn result(mut self) -> Option<T> {
        let result = self.0.wait_for(Option::is_some).await;
        result.ok()?.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_bounded_and_what_is_used_stays() {
        let hash = |number: usize| {
            let mut hash = TokenHash::default();
            hash[..8].copy_from_slice(&number.to_le_bytes());
            hash
        };
        let cache = TokenCache::<_>::default();
        for number in 0..5 * CACHE_HALF {
            cache.insert(hash(number), number);
            assert_eq!(cache.get(&hash(0)), Some(0), "{number}");
        }
        let halves = cache.0.lock().unwrap();
        assert!(halves.young.len() + halves.old.len() <= 2 * CACHE_HALF);
    }
}
