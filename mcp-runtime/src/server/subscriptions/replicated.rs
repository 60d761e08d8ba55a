//! Changes that the replicas of a server tell each other.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::sync::Notify;

use crate::limits::MAX_WAITING_CHANGES;
use crate::protocol::Change;
use crate::sync::lock;

tokio::task_local! {
    /// Set while changes of another replica are handled, which must not be published again.
    static IS_HEARD: ();
}

/// Collects changes until they are taken together.
#[derive(Debug, Default)]
pub(crate) struct ChangeQueue {
    waiting: Mutex<BTreeSet<Change>>,
    added: Notify,
}

impl ChangeQueue {
    /// Adds changes. While too many of them wait, other changes are dropped and logged.
    pub(crate) fn add(&self, changes: impl IntoIterator<Item = Change>) {
        let mut waiting = lock(&self.waiting);
        for change in changes {
            if waiting.len() < MAX_WAITING_CHANGES {
                waiting.insert(change);
            } else if !waiting.contains(&change) {
                crate::log::warn!(
                    ?change,
                    "a change does not reach other replicas, because too many changes wait"
                );
            }
        }
        self.added.notify_one();
    }

    /// Waits until there are changes, and then for the time `pause` for more of them. Only one task
    /// may wait.
    pub(crate) async fn take(&self, pause: Duration) -> BTreeSet<Change> {
        while lock(&self.waiting).is_empty() {
            self.added.notified().await;
        }
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        std::mem::take(&mut *lock(&self.waiting))
    }
}

/// Runs `publish` for a change that another replica has published.
pub(in crate::server) fn as_heard<T>(publish: impl FnOnce() -> T) -> T {
    IS_HEARD.sync_scope((), publish)
}

/// Runs a hook for a change that another replica has published.
pub(in crate::server) fn while_heard<F: Future>(hook: F) -> impl Future<Output = F::Output> {
    IS_HEARD.scope((), hook)
}

/// The queue to the other replicas, if the server has a bus.
#[derive(Debug, Default)]
pub(in crate::server) struct ChangesForReplicas(Mutex<Weak<ChangeQueue>>);

impl ChangesForReplicas {
    /// Adds a change, unless another replica has published it.
    pub(in crate::server) fn add(&self, change: &Change) {
        let queue = lock(&self.0).upgrade();
        if let Some(queue) = queue
            && IS_HEARD.try_with(|()| ()).is_err()
        {
            queue.add([change.clone()]);
        }
    }

    /// Returns the queue in which changes collect from now on; `None` if there already is one, for
    /// another endpoint. Changes collect until the queue is dropped.
    pub(in crate::server) fn collect(&self) -> Option<Arc<ChangeQueue>> {
        let mut current = lock(&self.0);
        if current.strong_count() > 0 {
            return None;
        }
        let queue = Arc::default();
        *current = Arc::downgrade(&queue);
        Some(queue)
    }

    pub(in crate::server) fn is_collected(&self) -> bool {
        lock(&self.0).strong_count() > 0
    }
}
