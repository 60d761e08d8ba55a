//! Subscriptions to resources of the server behind the proxy.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::{ServerNotification, SubscriptionFilter};
use tokio::task::AbortHandle;

use super::lasting::Lasting;
use super::remote::Remote;
use crate::client::{Client, SubscriptionEvent};
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::server::changes::Change;
use crate::server::live::Live;

/// The resources that are watched, each by a task.
#[derive(Debug, Default)]
pub(super) struct Watched(Mutex<BTreeMap<String, AbortHandle>>);

impl Watched {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of a change of `uri`, and whether anybody wanted to know. If not, it is no longer
    /// watched: whoever wants to know from now on finds that out by the same lock.
    fn tell(&self, live: &Live, uri: &str) -> bool {
        let mut watched = self.lock();
        let told = live.publish(Change::Resource(uri.to_owned()));
        if !told {
            watched.remove(uri);
        }
        told
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.lock().values().for_each(AbortHandle::abort);
    }
}

/// Has the server behind the proxy tell of changes of `uri`, until one comes that nobody wants to
/// know of any more.
pub(super) fn watch(remote: &Weak<Remote>, live: &Weak<Live>, uri: &str) {
    let Some(behind) = remote.upgrade() else {
        return;
    };
    let mut watched = behind.watched.lock();
    if watched.contains_key(uri) {
        return;
    }
    if watched.len() >= MAX_SUBSCRIPTIONS {
        tracing::warn!(uri, "too many resources behind a proxy are watched already");
        return;
    }
    let (remote, live, client) = (remote.clone(), live.clone(), behind.client.clone());
    let name = uri.to_owned();
    let watching = tokio::spawn(async move {
        run(client, &remote, &live, &name).await;
        if let Some(behind) = remote.upgrade() {
            behind.watched.lock().remove(&name);
        }
    });
    watched.insert(uri.to_owned(), watching.abort_handle());
}

async fn run(client: Client, remote: &Weak<Remote>, live: &Weak<Live>, uri: &str) {
    let filter = SubscriptionFilter::new().with_resource_subscriptions([uri]);
    let mut subscription = match Lasting::open(client, filter).await {
        Ok(subscription) => subscription,
        Err(error) => {
            tracing::warn!(uri, %error, "a subscription is not passed on");
            return;
        }
    };
    loop {
        match subscription.event().await {
            Ok(SubscriptionEvent::Told(ServerNotification::ResourceUpdated(_))) => {}
            // What has changed meanwhile is not known.
            Ok(SubscriptionEvent::Reopened) => {}
            Ok(_) => continue,
            Err(error) => {
                tracing::warn!(uri, %error, "a subscription that was passed on is over");
                return;
            }
        }
        let (Some(behind), Some(live)) = (remote.upgrade(), live.upgrade()) else {
            return;
        };
        if !behind.watched.tell(&live, uri) {
            return;
        }
    }
}
