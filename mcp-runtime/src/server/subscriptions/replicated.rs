//! Changes that the replicas of a server tell each other.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};

use mcp_types::ErrorObject;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::connection::Contained;
use crate::error::ServeError;
use crate::limits::{ANNOUNCE_INTERVAL, GAP_SPREAD, MAX_WAITING_CHANGES};
use crate::protocol::Change;
use crate::server::Server;
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
                    "a change was not told to other replicas: too many wait"
                );
            }
        }
        self.added.notify_one();
    }

    /// Waits until there are changes, and a moment for more of them. Only one task may wait.
    pub(crate) async fn take(&self) -> BTreeSet<Change> {
        while lock(&self.waiting).is_empty() {
            self.added.notified().await;
        }
        tokio::time::sleep(ANNOUNCE_INTERVAL).await;
        std::mem::take(&mut *lock(&self.waiting))
    }
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
}

impl Server {
    /// Returns true if the server is one of several replicas.
    pub(in crate::server) fn is_replicated(&self) -> bool {
        lock(&self.state.for_replicas.0).strong_count() > 0
    }

    /// Checks that any replica can continue a call whose questions were answered.
    ///
    /// # Errors
    ///
    /// When a function asks with a parameter, and there are no keys that replicas share. Functions
    /// that ask in another way are not known before they ask.
    pub(crate) fn check_replicated(&self) -> Result<(), ServeError> {
        if self.is_raw() || self.settings().retry_states.are_shared() {
            return Ok(());
        }
        if let Some(name) = self.router().asking() {
            let reason = format!(
                "`{name}` asks the client, and the answer may reach another replica: set the same \
                 `ServerBuilder::state_keys` in all replicas"
            );
            return Err(ServeError::setting("state_keys", reason));
        }
        crate::log::warn!(
            "the server has a bus but no `state_keys`: calls of stateless clients fail when they ask \
             (`cx.elicit`, `cx.sample`, `cx.roots`)"
        );
        Ok(())
    }

    /// Returns the queue in which the changes of this server collect for the other replicas from
    /// now on; `None` if there already is one, for another endpoint.
    pub(crate) fn changes_for_replicas(&self) -> Option<Arc<ChangeQueue>> {
        let mut current = lock(&self.state.for_replicas.0);
        if current.strong_count() > 0 {
            return None;
        }
        let queue = Arc::default();
        *current = Arc::downgrade(&queue);
        Some(queue)
    }

    /// Runs the `on_change` hooks for the changes of another replica, and tells the clients of this
    /// process.
    pub(crate) async fn heard(&self, changes: BTreeSet<Change>) {
        self.run_change_hooks(&changes).await;
        for change in changes {
            IS_HEARD.sync_scope((), || self.state.publish(change));
        }
    }

    /// Handles the loss of messages of other replicas: runs the `on_change` hooks for everything
    /// that may have changed, and reports it to the clients of this process. The reports are spread
    /// over [`GAP_SPREAD`], to avoid that all clients ask at the same time.
    pub(crate) async fn missed(&self) {
        let (subscribers, mut changes) = self.state.changes.missed();
        changes.extend(
            self.settings()
                .list_changed
                .iter()
                .map(|list| (*list).into()),
        );
        self.run_change_hooks(&changes).await;
        let start = Instant::now();
        let count = u32::try_from(subscribers.len()).unwrap_or(u32::MAX);
        let step = GAP_SPREAD / count.saturating_add(1);
        for (subscriber, number) in subscribers.iter().zip(1..) {
            sleep_until(start + step * number).await;
            if let Some(subscriber) = subscriber.upgrade() {
                subscriber.report_missed();
            }
        }
    }

    async fn run_change_hooks(&self, changes: &BTreeSet<Change>) {
        for hook in &self.settings().hooks.change {
            for change in changes {
                let hook = Arc::clone(hook);
                let argument = (self.clone(), change.clone());
                // A panic is logged where it is contained.
                let called = Contained(Box::pin(async move {
                    if let Err(error) = hook(argument).await {
                        crate::log::error!(%error, "`on_change` failed");
                    }
                    Ok::<_, ErrorObject>(())
                }));
                let _ = IS_HEARD.scope((), called).await;
            }
        }
    }
}
