//! A key-value store that counts its calls, and fails while a test says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mcp_runtime::store::{
    KeyValue, MemoryKeyValue, PutMode, StoreError, StoreFuture, Version, Versioned,
};
use tokio::task::yield_now;

/// Clones are the same store.
#[derive(Clone, Default)]
pub struct WatchedStore {
    store: MemoryKeyValue,
    calls: Arc<AtomicUsize>,
    is_away: Arc<AtomicBool>,
}

impl WatchedStore {
    /// The number of calls since the last time it was asked.
    pub fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::Relaxed)
    }

    pub fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::Relaxed);
    }

    /// Lets other tasks run first, as a store in the network does.
    fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&MemoryKeyValue) -> StoreFuture<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let this = self.clone();
        Box::pin(async move {
            yield_now().await;
            this.calls.fetch_add(1, Ordering::Relaxed);
            if this.is_away.load(Ordering::Relaxed) {
                return Err(StoreError::new("it does not answer"));
            }
            call(&this.store).await
        })
    }
}

impl KeyValue for WatchedStore {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        let key = key.to_owned();
        self.call(move |store| store.get(&key, renew))
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        let is_key = key.len() <= 512 && key.bytes().all(|it| it.is_ascii_graphic());
        assert!(is_key, "{key:?}");
        let key = key.to_owned();
        self.call(move |store| store.put(&key, value, ttl, mode))
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        let key = key.to_owned();
        self.call(move |store| store.remove(&key, version))
    }
}
