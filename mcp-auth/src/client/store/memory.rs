//! A token store in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, io};

use mcp_runtime::BoxFuture;
use mcp_runtime::store::MemoryKeyValue;

use super::{SharedTokens, StoreLock, TokenStore};
use crate::util::lock;

/// A [`TokenStore`] whose contents are lost when the process ends, so a person logs in again after
/// each start.
///
/// A secret is removed after its time, or after a year if it was saved without a time. Clones share
/// their contents. `Debug` does not show the contents.
#[derive(Clone)]
pub struct MemoryStore {
    secrets: SharedTokens,
    /// Unlike the locks of `SharedTokens`, these wake the next caller immediately.
    locks: Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            secrets: SharedTokens::new(MemoryKeyValue::new()),
            locks: Arc::default(),
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl TokenStore for MemoryStore {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        self.secrets.load(key)
    }

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        self.secrets.save(key, secret, ttl)
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        self.secrets.remove(key)
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        let lock = Arc::clone(lock(&self.locks).entry(key.to_owned()).or_default());
        Box::pin(async move { Ok(StoreLock::new(lock.lock_owned().await)) })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests as contract;
    use super::*;

    #[tokio::test]
    async fn it_is_a_store() {
        let store = MemoryStore::new();
        contract::texts_are_kept(&store, &store.clone()).await;
        contract::locks_exclude(&store, &store.clone()).await;
        contract::locks_are_for_one_at_a_time(&store).await;
        store.save("a", "secret", None).await.unwrap();
        assert!(!format!("{store:?}").contains("secret"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_secret_ends_with_its_time() {
        let store = MemoryStore::new();
        let minute = Duration::from_secs(60);
        store.save("a", "1", Some(minute)).await.unwrap();
        store.save("b", "2", None).await.unwrap();
        assert!(store.load("a").await.unwrap().is_some());
        tokio::time::advance(minute).await;
        assert!(store.load("a").await.unwrap().is_none());
        assert!(store.load("b").await.unwrap().is_some());
    }
}
