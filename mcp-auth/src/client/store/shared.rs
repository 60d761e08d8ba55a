//! A token store in a key-value store that several processes share.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_runtime::BoxFuture;
use mcp_runtime::store::{KeyValue, PutMode, StoreError, Version};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::{StoreLock, TokenStore};
use crate::limits::client::{
    LOCK_INTERVAL, LOCK_LIFETIME, LOCK_RENEWAL, LOCK_TIMEOUT, MAX_LOCK_INTERVAL, UNUSED_LIFETIME,
};
use crate::util::hash_text;

/// A [`TokenStore`] in a [`KeyValue`], for replicas of one server, or for gateways that act for the
/// same people.
///
/// ```
/// use mcp_auth::OAuth;
/// use mcp_auth::client::store::SharedTokens;
/// use mcp_runtime::store::MemoryKeyValue;
///
/// // Replace it with the store that the processes share, such as `Redis` of `mcp-stores`.
/// let store = MemoryKeyValue::new();
/// let oauth = OAuth::new("my-app").store(SharedTokens::new(store)).person("ann");
/// # drop(oauth);
/// ```
///
/// Secrets are stored as they are, so only these processes may have access to the store. The
/// records of an [`OAuthProxy`](crate::proxy::OAuthProxy) are sealed before they get here. The names
/// of the records are hashes of the keys. A secret that is saved without a time is removed one year
/// later.
///
/// A lock is a record that lasts 60 seconds and is renewed every 20 seconds while the lock is held,
/// so the lock of a process that is killed is free within a minute. A process that waits asks the
/// store every 50 ms, and later every 500 ms. After 60 seconds, locking fails with the kind
/// [`TimedOut`](io::ErrorKind::TimedOut). If the store loses records, or if a process stands still
/// for a minute, two processes may hold a lock. A refresh token is then redeemed twice at worst, and
/// the person logs in again.
///
/// If the store is unavailable, each call fails as soon as the call of the store fails.
#[derive(Clone)]
pub struct SharedTokens(Arc<dyn KeyValue>);

impl SharedTokens {
    /// Creates a store of tokens in `store`.
    #[must_use]
    pub fn new(store: impl KeyValue) -> Self {
        Self(Arc::new(store))
    }
}

impl TokenStore for SharedTokens {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        let found = self.0.get(&token_key(key), None);
        Box::pin(async move {
            let found = found.await.map_err(failed)?;
            let text = found.map(|found| String::from_utf8(found.value.into()));
            let damaged = |_| io::Error::new(ErrorKind::InvalidData, "a stored token is damaged");
            text.transpose().map_err(damaged)
        })
    }

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        let ttl = ttl.unwrap_or(UNUSED_LIFETIME);
        let secret = Bytes::copy_from_slice(secret.as_bytes());
        let saved = self.0.put(&token_key(key), secret, ttl, PutMode::Overwrite);
        Box::pin(async { saved.await.map(drop).map_err(failed) })
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        let removed = self.0.remove(&token_key(key), None);
        Box::pin(async { removed.await.map(drop).map_err(failed) })
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        let store = self.clone();
        let key = format!("lock:{}", hash_text(key));
        Box::pin(async move {
            let end = Instant::now() + LOCK_TIMEOUT;
            let mut pause = LOCK_INTERVAL;
            loop {
                let (guard, released) = oneshot::channel();
                // A task, so that the lock is released even if the caller stops waiting.
                let taken = tokio::spawn(store.clone().take(key.clone(), released));
                if taken.await.map_err(io::Error::other)?.map_err(failed)? {
                    return Ok(StoreLock::new(guard));
                }
                if Instant::now() >= end {
                    let text = "another process holds the lock of a token";
                    return Err(io::Error::new(ErrorKind::TimedOut, text));
                }
                sleep(pause).await;
                pause = (2 * pause).min(MAX_LOCK_INTERVAL);
            }
        })
    }
}

impl SharedTokens {
    /// Takes a lock if it is free, and holds it until the sender of `released` is dropped.
    async fn take(self, key: String, released: oneshot::Receiver<()>) -> Result<bool, StoreError> {
        let value = Bytes::new();
        let taken = self.0.put(&key, value, LOCK_LIFETIME, PutMode::Create);
        let taken = taken.await?;
        if let Some(version) = taken {
            tokio::spawn(self.hold(key, version, released));
        }
        Ok(taken.is_some())
    }

    async fn hold(self, key: String, version: Version, mut released: oneshot::Receiver<()>) {
        while timeout(LOCK_RENEWAL, &mut released).await.is_err() {
            let renewed = self.0.get(&key, Some(LOCK_LIFETIME)).await;
            let is_lost = |found: Option<_>| found.is_none_or(|it| it != version);
            if renewed.is_ok_and(|found| is_lost(found.map(|it| it.version))) {
                mcp_runtime::log::warn!("the lock of a token was lost, because the store was away");
                return;
            }
        }
        // If the store is unavailable, the lock ends when its time has passed.
        let _ = self.0.remove(&key, Some(version)).await;
    }
}

fn token_key(key: &str) -> String {
    format!("token:{}", hash_text(key))
}

fn failed(error: StoreError) -> io::Error {
    io::Error::other(error)
}

impl std::fmt::Debug for SharedTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedTokens").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use mcp_runtime::store::MemoryKeyValue;
    use tokio::time::advance;

    use super::super::tests as contract;
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn lock_key(key: &str) -> String {
        format!("lock:{}", hash_text(key))
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_a_store() {
        let store = MemoryKeyValue::new();
        let [first, second] = [(); 2].map(|()| SharedTokens::new(store.clone()));
        contract::texts_are_kept(&first, &second).await;
        contract::locks_exclude(&first, &second).await;
        contract::locks_are_for_one_at_a_time(&first).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_secret_ends_with_its_time_or_after_a_year() {
        let store = SharedTokens::new(MemoryKeyValue::new());
        store.save("a", "1", Some(60 * SECOND)).await.unwrap();
        store.save("b", "2", None).await.unwrap();
        for (time, expected) in [
            (59 * SECOND, [true, true]),
            (SECOND, [false, true]),
            (UNUSED_LIFETIME - 61 * SECOND, [false, true]),
            (SECOND, [false, false]),
        ] {
            advance(time).await;
            for (key, is_kept) in ["a", "b"].into_iter().zip(expected) {
                let found = store.load(key).await.unwrap();
                assert_eq!(found.is_some(), is_kept, "{key} {time:?}");
            }
        }
    }

    /// A process that is killed does not remove its locks.
    #[tokio::test(start_paused = true)]
    async fn the_lock_of_a_killed_process_is_free_after_a_minute() {
        let store = MemoryKeyValue::new();
        let create = PutMode::Create;
        let put = store.put(&lock_key("a"), Bytes::new(), LOCK_LIFETIME, create);
        assert!(put.await.unwrap().is_some());
        let begun = Instant::now();
        SharedTokens::new(store).lock("a").await.unwrap();
        let waited = begun.elapsed();
        assert!((60 * SECOND..61 * SECOND).contains(&waited), "{waited:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_is_held_for_as_long_as_a_login_takes() {
        let store = SharedTokens::new(MemoryKeyValue::new());
        let held = store.lock("a").await.unwrap();
        for _ in 0..5 {
            let begun = Instant::now();
            let error = store.lock("a").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TimedOut);
            let waited = begun.elapsed();
            assert!((60 * SECOND..61 * SECOND).contains(&waited), "{waited:?}");
        }
        drop(held);
        let begun = Instant::now();
        store.lock("a").await.unwrap();
        assert!(begun.elapsed() < SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_was_lost_is_left_to_the_next_holder() {
        let store = MemoryKeyValue::new();
        let tokens = SharedTokens::new(store.clone());
        let lost = tokens.lock("a").await.unwrap();
        // The store loses the record, and another process takes the lock.
        store.remove(&lock_key("a"), None).await.unwrap();
        let held = tokens.lock("a").await.unwrap();
        sleep(30 * SECOND).await;
        drop(lost);
        sleep(SECOND).await;
        let found = store.get(&lock_key("a"), None).await.unwrap();
        assert!(found.is_some());
        drop(held);
        sleep(SECOND).await;
        let found = store.get(&lock_key("a"), None).await.unwrap();
        assert!(found.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_holds_the_lock_of_a_caller_that_has_given_up() {
        let store = SharedTokens::new(MemoryKeyValue::new());
        {
            let mut locking = store.lock("a");
            // The task that takes the lock is running.
            let polled = timeout(Duration::ZERO, &mut locking).await;
            assert!(polled.is_err());
        }
        let begun = Instant::now();
        store.lock("a").await.unwrap();
        assert!(begun.elapsed() < SECOND);
    }
}
