//! Tokens that were verified before.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use super::access_token::VerifiedToken;

/// Most tokens in each of the two halves.
const MAX_OF_HALF: usize = 4096;

/// The hash of a token by SHA-256.
pub(super) type TokenHash = [u8; 32];

/// Verified tokens by their hashes: those that were used last, at most 8192.
#[derive(Default)]
pub(super) struct TokenCache(Mutex<Halves>);

/// New tokens come into `young`. When that is full, it becomes `old`, and what was old is forgotten.
#[derive(Default)]
struct Halves {
    young: HashMap<TokenHash, Arc<VerifiedToken>>,
    old: HashMap<TokenHash, Arc<VerifiedToken>>,
}

impl TokenCache {
    pub(super) fn get(&self, hash: &TokenHash) -> Option<Arc<VerifiedToken>> {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = halves.young.get(hash) {
            return Some(Arc::clone(found));
        }
        let found = halves.old.remove(hash)?;
        halves.insert(*hash, Arc::clone(&found));
        Some(found)
    }

    pub(super) fn insert(&self, hash: TokenHash, token: Arc<VerifiedToken>) {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        halves.insert(hash, token);
    }

    pub(super) fn remove(&self, hash: &TokenHash) {
        let mut halves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        halves.young.remove(hash);
        halves.old.remove(hash);
    }
}

impl Halves {
    fn insert(&mut self, hash: TokenHash, token: Arc<VerifiedToken>) {
        if self.young.len() >= MAX_OF_HALF {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(hash, token);
    }
}
