//! Subscriptions to changes of the server behind a proxy.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use mcp_types::{ServerNotification, SubscriptionFilter};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::upstream::Upstream;
use crate::client::{Client, Connections, Subscription, SubscriptionEvent};
use crate::error::CallError;
use crate::limits::{MAX_SUBSCRIPTIONS, STABLE_STREAM};
use crate::server::changes::Change;
use crate::server::state::ServerState;

/// A subscription that is opened again after any end but an error of the server; also after one in
/// good order, as of a server that is replaced.
pub(super) struct LastingSubscription {
    client: Client,
    connections: Connections,
    filter: SubscriptionFilter,
    subscription: Option<Subscription>,
    opened: Instant,
    /// The number of pauses since a subscription has lasted.
    pauses: u32,
}

impl LastingSubscription {
    /// Subscribes to what `filter` names; later, if the server can't be reached now.
    ///
    /// # Errors
    ///
    /// When the server refuses.
    pub(super) async fn open(
        client: Client,
        filter: SubscriptionFilter,
    ) -> Result<Self, CallError> {
        let mut lasting = Self {
            connections: client.connections(),
            client,
            filter,
            subscription: None,
            opened: Instant::now(),
            pauses: 0,
        };
        match lasting.subscribe().await {
            Err(error) if lasting.is_final(&error) => Err(error),
            _ => Ok(lasting),
        }
    }

    /// The next notification, or that the subscription was opened again.
    ///
    /// # Errors
    ///
    /// When the server refuses, or the client is closed.
    pub(super) async fn event(&mut self) -> Result<SubscriptionEvent, CallError> {
        loop {
            let ended = match &mut self.subscription {
                Some(subscription) => subscription.event().await,
                None => {
                    sleep(self.client.reconnect().pause_before(self.pauses)).await;
                    self.pauses += 1;
                    let subscribed = self.subscribe().await;
                    subscribed.map(|()| SubscriptionEvent::Reopened)
                }
            };
            match ended {
                Ok(SubscriptionEvent::Ended) => {}
                Ok(event) => return Ok(event),
                Err(error) if self.is_final(&error) => return Err(error),
                Err(error) => tracing::debug!(%error, "a subscription is to be opened again"),
            }
            if self.subscription.take().is_some() && self.opened.elapsed() >= STABLE_STREAM {
                self.pauses = 0;
            }
        }
    }

    async fn subscribe(&mut self) -> Result<(), CallError> {
        let subscription = self.client.subscribe_to(self.filter.clone()).await?;
        self.subscription = Some(subscription);
        self.opened = Instant::now();
        Ok(())
    }

    /// Returns whether subscribing again would be of no use.
    fn is_final(&self, error: &CallError) -> bool {
        match error {
            CallError::Closed => self.connections.are_over(),
            CallError::Lost(_) | CallError::NotSent(_) if self.connections.are_over() => true,
            error => !error.is_transient(),
        }
    }
}

/// The resources that are watched, each by a task.
#[derive(Debug, Default)]
pub(super) struct Watched(Mutex<BTreeMap<String, AbortHandle>>);

impl Watched {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes a change of `uri`. Returns whether any client listens to it; otherwise the resource
    /// is not watched any more. A client that subscribes meanwhile waits for the same lock.
    fn publish(&self, state: &ServerState, uri: &str) -> bool {
        let mut watched = self.lock();
        let heard = state.publish(Change::Resource(uri.to_owned()));
        if !heard {
            watched.remove(uri);
        }
        heard
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.lock().values().for_each(AbortHandle::abort);
    }
}

/// Publishes the changes of `uri` that the server behind the proxy announces, until one comes that
/// no client listens to.
pub(super) fn watch(upstream: &Weak<Upstream>, state: &Weak<ServerState>, uri: &str) {
    let Some(strong) = upstream.upgrade() else {
        return;
    };
    let mut watched = strong.watched.lock();
    if watched.contains_key(uri) {
        return;
    }
    if watched.len() >= MAX_SUBSCRIPTIONS {
        tracing::warn!(uri, "too many resources behind a proxy are watched already");
        return;
    }
    let (upstream, state, client) = (upstream.clone(), state.clone(), strong.client.clone());
    let name = uri.to_owned();
    let watching = tokio::spawn(async move {
        run(client, &upstream, &state, &name).await;
        if let Some(strong) = upstream.upgrade() {
            strong.watched.lock().remove(&name);
        }
    });
    watched.insert(uri.to_owned(), watching.abort_handle());
}

async fn run(client: Client, upstream: &Weak<Upstream>, state: &Weak<ServerState>, uri: &str) {
    let filter = SubscriptionFilter::new().with_resource_subscriptions([uri]);
    let mut subscription = match LastingSubscription::open(client, filter).await {
        Ok(subscription) => subscription,
        Err(error) => {
            tracing::warn!(uri, %error, "a subscription is not passed on");
            return;
        }
    };
    loop {
        match subscription.event().await {
            Ok(SubscriptionEvent::Notification(ServerNotification::ResourceUpdated(_))) => {}
            // What has changed meanwhile is not known.
            Ok(SubscriptionEvent::Reopened) => {}
            Ok(_) => continue,
            Err(error) => {
                tracing::warn!(uri, %error, "a subscription that was passed on is over");
                return;
            }
        }
        let (Some(strong), Some(state)) = (upstream.upgrade(), state.upgrade()) else {
            return;
        };
        if !strong.watched.publish(&state, uri) {
            return;
        }
    }
}
