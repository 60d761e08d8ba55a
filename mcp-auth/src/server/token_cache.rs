//! Values that are remembered for tokens and URLs.

use std::collections::HashMap;
use std::mem;
use std::sync::Mutex;

use ring::digest::{SHA256, digest};

use crate::limits::server::CACHE_HALF;
use crate::sync::lock;

/// The hash of a token by SHA-256.
pub(crate) type TokenHash = [u8; 32];

/// The hash of a token.
pub(crate) fn token_hash(token: &str) -> TokenHash {
    let mut hash = TokenHash::default();
    hash.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    hash
}

/// Values by the hashes of tokens or URLs: those that were used last, at most two times `HALF`.
pub(crate) struct TokenCache<V, const HALF: usize = CACHE_HALF>(Mutex<Halves<V>>);

/// New tokens come into `young`. When that is full, it becomes `old`, and what was old is forgotten.
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
