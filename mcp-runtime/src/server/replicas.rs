//! A server as one of several replicas: the changes that the replicas report to each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcp_types::ErrorObject;
use tokio::time::{Instant, sleep_until};

use super::Server;
use super::subscriptions::{ChangeQueue, as_heard, while_heard};
use crate::connection::Contained;
use crate::error::ServeError;
use crate::limits::GAP_SPREAD;
use crate::protocol::Change;

impl Server {
    /// Returns true if the server is one of several replicas.
    pub(in crate::server) fn is_replicated(&self) -> bool {
        self.state.for_replicas.is_collected()
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
        self.state.for_replicas.collect()
    }

    /// Runs the `on_change` hooks for the changes of another replica, and notifies the clients of this
    /// process.
    pub(crate) async fn heard(&self, changes: BTreeSet<Change>) {
        self.run_change_hooks(&changes).await;
        for change in changes {
            as_heard(|| self.state.publish(change));
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
                let _ = while_heard(called).await;
            }
        }
    }
}
