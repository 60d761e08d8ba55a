//! Nonces for proofs of possession (RFC 9449 §9), which replicas with the same store share.
//!
//! The store decides when a nonce ends, so the clocks of the replicas don't matter. Each nonce has
//! two records: one says that it is the current nonce, and the other that it is accepted.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use mcp_runtime::store::{KeyValue, PutMode, StoreError};
use tokio::time::Instant;

use crate::limits::server::{NONCE_CACHE, NONCE_LIFETIME, NONCE_PERIOD};
use crate::util::{base64url, hash_text, lock, random_bytes};

/// The key of the current nonce.
const CURRENT: &str = "nonce";

pub(super) struct Nonces {
    store: Arc<dyn KeyValue>,
    /// The current nonce, and when it was read.
    cached: Mutex<Option<(Instant, String)>>,
}

impl Nonces {
    pub(super) fn new(store: Arc<dyn KeyValue>) -> Self {
        let cached = Mutex::default();
        Self { store, cached }
    }

    /// Returns the nonce to hand out.
    pub(super) async fn current(&self) -> Result<String, StoreError> {
        let cached = lock(&self.cached).clone();
        if let Some((_, nonce)) = cached.filter(|(at, _)| at.elapsed() < NONCE_CACHE) {
            return Ok(nonce);
        }
        let now = Instant::now();
        let nonce = self.read_or_create().await?;
        *lock(&self.cached) = Some((now, nonce.clone()));
        Ok(nonce)
    }

    async fn read_or_create(&self) -> Result<String, StoreError> {
        loop {
            if let Some(found) = self.store.get(CURRENT, None).await? {
                return Ok(String::from_utf8_lossy(&found.value).into_owned());
            }
            // 128 random bits.
            let nonce = base64url(random_bytes::<16>().map_err(StoreError::new)?);
            let put = |key: &str, value, ttl| self.store.put(key, value, ttl, PutMode::Create);
            // This comes first, because other replicas hand out the nonce as soon as it is current.
            put(&key(&nonce), Bytes::new(), NONCE_LIFETIME).await?;
            if put(CURRENT, nonce.clone().into(), NONCE_PERIOD)
                .await?
                .is_some()
            {
                return Ok(nonce);
            }
        }
    }

    /// Returns true if the nonce was handed out, and has not ended.
    pub(super) async fn accepts(&self, nonce: &str) -> Result<bool, StoreError> {
        // The current nonce is accepted for longer than it is cached.
        let is_current = self.current().await? == nonce;
        Ok(is_current || self.store.get(&key(nonce), None).await?.is_some())
    }
}

/// The key of a nonce that is accepted. Clients can send any string.
fn key(nonce: &str) -> String {
    format!("nonce:{}", hash_text(nonce))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_runtime::store::MemoryKeyValue;
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The nonces of two replicas.
    fn replicas() -> [Nonces; 2] {
        let store = Arc::new(MemoryKeyValue::new());
        [(); 2].map(|()| Nonces::new(store.clone()))
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_hand_out_one_nonce_a_minute() {
        let [first, second] = replicas();
        let nonce = first.current().await.unwrap();
        advance(59 * SECOND).await;
        assert_eq!(second.current().await.unwrap(), nonce);
        advance(SECOND).await;
        let next = first.current().await.unwrap();
        assert_ne!(next, nonce);
        // The other replica has just read the former nonce.
        advance(8 * SECOND).await;
        assert_eq!(second.current().await.unwrap(), nonce);
        advance(SECOND).await;
        assert_eq!(second.current().await.unwrap(), next);
    }

    #[tokio::test(start_paused = true)]
    async fn replicas_accept_a_nonce_for_two_minutes() {
        let [first, second] = replicas();
        let nonce = first.current().await.unwrap();
        for (time, is_accepted) in [(0, true), (59, true), (1, true), (59, true), (1, false)] {
            advance(time * SECOND).await;
            for replica in [&first, &second] {
                assert_eq!(replica.accepts(&nonce).await.unwrap(), is_accepted);
                for other in ["", "other", "nonce"] {
                    assert!(!replica.accepts(other).await.unwrap());
                }
            }
        }
    }
}
