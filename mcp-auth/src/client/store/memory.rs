//! A token store in memory.

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};
use std::{fmt, io};

use mcp_runtime::BoxFuture;

use super::{StoreLock, TokenStore};
use crate::util::lock;

/// A [`TokenStore`] whose contents are lost when the process ends, so a person logs in again after
/// each start.
///
/// Clones share their contents. `Debug` does not show the contents.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Contents>>);

#[derive(Default)]
struct Contents {
    secrets: HashMap<String, String>,
    locks: HashMap<String, Arc<tokio::sync::Mutex<()>>>,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        lock(&self.0)
    }
}

impl TokenStore for MemoryStore {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        let found = self.contents().secrets.get(key).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn save(&self, key: &str, secret: &str) -> BoxFuture<io::Result<()>> {
        let secret = secret.to_owned();
        self.contents().secrets.insert(key.to_owned(), secret);
        Box::pin(ready(Ok(())))
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        self.contents().secrets.remove(key);
        Box::pin(ready(Ok(())))
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        let lock = Arc::clone(self.contents().locks.entry(key.to_owned()).or_default());
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
    use super::super::testing;
    use super::*;

    #[tokio::test]
    async fn it_is_a_store() {
        let store = MemoryStore::new();
        testing::texts_are_kept(&store, &store.clone()).await;
        testing::locks_exclude(&store, &store.clone()).await;
        store.save("a", "secret").await.unwrap();
        assert!(!format!("{store:?}").contains("secret"));
    }
}
