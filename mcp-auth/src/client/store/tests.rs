//! Tests that each store must pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_check::is_pending;
use tokio::task::JoinSet;

use super::TokenStore;

/// `other` is the same store as another process sees it.
pub(super) async fn texts_are_kept(store: &impl TokenStore, other: &impl TokenStore) {
    let load = async |key: &str| store.load(key).await.unwrap();
    assert_eq!(load("a").await, None);
    store.remove("a").await.unwrap();
    store.save("a", "1", None).await.unwrap();
    other.save("b", "2", None).await.unwrap();
    other.save("a", "\"3\"\n", None).await.unwrap();
    assert_eq!(load("a").await.as_deref(), Some("\"3\"\n"));
    assert_eq!(load("b").await.as_deref(), Some("2"));
    other.remove("a").await.unwrap();
    assert_eq!(load("a").await, None);
    assert_eq!(load("b").await.as_deref(), Some("2"));
}

/// Each of 32 callers gets the lock, one after the other.
pub(super) async fn locks_are_for_one_at_a_time(store: &(impl TokenStore + Clone)) {
    let holders = Arc::new(AtomicUsize::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..32 {
        let (store, holders) = (store.clone(), Arc::clone(&holders));
        callers.spawn(async move {
            let _lock = store.lock("a").await.unwrap();
            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
            tokio::task::yield_now().await;
            holders.fetch_sub(1, Ordering::SeqCst);
        });
    }
    callers.join_all().await;
}

pub(super) async fn locks_exclude(store: &impl TokenStore, other: &impl TokenStore) {
    let first = store.lock("a").await.unwrap();
    // Other keys and the other methods don't wait for the lock.
    let _b = other.lock("b").await.unwrap();
    store.save("a", "1", None).await.unwrap();
    let mut second = other.lock("a");
    assert!(is_pending(&mut second).await);
    drop(first);
    second.await.unwrap();
}

mod futures_check {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;

    pub(super) async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
        poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending())).await
    }
}
