//! The handle to a subscription.

use std::fmt;
use std::time::Duration;

use mcp_types::{ServerNotification, SubscriptionFilter, methods};

use super::listening::{Event, Listening};
use crate::client::Client;
use crate::client::hub::Notifications;
use crate::error::CallError;

impl Client {
    /// Subscribes to what `filter` names, in any revision, and waits until the server has agreed.
    /// What it does not offer is left out of what it [accepts](Subscription::accepted).
    ///
    /// In revisions with a handshake, resources are subscribed to one by one, and changes of lists
    /// are announced anyway; in those without, this is [`listen`](Self::listen).
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::SubscriptionFilter;
    ///
    /// let filter = SubscriptionFilter::new()
    ///     .with_tools_list_changed(true)
    ///     .with_resource_subscriptions(["file:///etc/motd"]);
    /// let mut changes = client.subscribe_to(filter).await?;
    /// while let Some(change) = changes.next().await? {
    ///     println!("{change:?}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CallError::Timeout`] where the server does not agree in time, or why it refuses.
    pub async fn subscribe_to(
        &self,
        filter: SubscriptionFilter,
    ) -> Result<Subscription, CallError> {
        let waited = self.config().timeouts.idle;
        let connection = tokio::time::timeout(waited, self.connection(true)).await;
        let connection = connection.unwrap_or_else(|_| Err(timeout(waited)))?;
        // Where requests carry nothing, there is a session.
        if !connection.agreed.meta.is_empty() {
            return self.listen(filter).await;
        }
        let notifications = self.notifications();
        let accepted = self.subscribe_in_session(&filter).await?;
        Ok(Subscription {
            client: self.clone(),
            filter,
            accepted,
            notifications,
            state: State::Session,
        })
    }

    /// Subscribes to what `filter` names, in revisions without a handshake, and waits until the
    /// server has agreed (2026-07-28, "Subscriptions").
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] where the revision has no such subscriptions,
    /// [`CallError::Timeout`] where the server does not agree in time, or why it refuses.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, CallError> {
        let mut subscription = Subscription {
            client: self.clone(),
            accepted: SubscriptionFilter::new(),
            filter,
            notifications: self.notifications(),
            state: State::Lost,
        };
        let waited = self.config().timeouts.idle;
        match tokio::time::timeout(waited, subscription.agreed()).await {
            Ok(agreed) => agreed.map(|()| subscription),
            Err(_) => Err(timeout(waited)),
        }
    }
}

fn timeout(waited: Duration) -> CallError {
    CallError::Timeout {
        method: methods::SUBSCRIPTIONS_LISTEN.to_owned(),
        waited,
    }
}

/// Notifications that were subscribed to. Dropping it ends the subscription.
///
/// A client that reconnects subscribes again.
#[must_use = "a subscription that is dropped is over"]
pub struct Subscription {
    pub(super) client: Client,
    filter: SubscriptionFilter,
    pub(super) accepted: SubscriptionFilter,
    pub(super) notifications: Notifications,
    pub(super) state: State,
}

pub(super) enum State {
    /// A request is open, to which the notifications belong.
    Open(Listening),
    /// The connection is lost, or was not used yet.
    Lost,
    /// The notifications are among those of a session.
    Session,
    Ended,
}

impl Subscription {
    /// What the server has agreed to send, which may be less than was asked for.
    #[must_use]
    pub fn accepted(&self) -> &SubscriptionFilter {
        &self.accepted
    }

    /// The next notification; `None` when the server has ended the subscription in good order.
    ///
    /// Cancel safe: a future that is dropped loses nothing.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] when the connection is lost for good.
    pub async fn next(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            match self.event().await? {
                Some(ServerNotification::SubscriptionsAcknowledged(params)) => {
                    self.accepted = params.notifications;
                }
                told => return Ok(told),
            }
        }
    }

    async fn agreed(&mut self) -> Result<(), CallError> {
        match self.event().await? {
            Some(ServerNotification::SubscriptionsAcknowledged(params)) => {
                self.accepted = params.notifications;
                Ok(())
            }
            _ => Err(CallError::Result {
                method: methods::SUBSCRIPTIONS_LISTEN.to_owned(),
                reason: "the server did not acknowledge the subscription".to_owned(),
            }),
        }
    }

    /// Whatever comes next; a request that was lost is opened again.
    async fn event(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            let listening = match &mut self.state {
                State::Open(listening) => listening,
                State::Lost => {
                    let filter = self.filter.clone();
                    self.state = State::Open(Listening::open(&self.client, filter).await?);
                    continue;
                }
                State::Session => return self.told_in_session().await.map(Some),
                State::Ended => return Ok(None),
            };
            match listening.next(&mut self.notifications).await {
                Event::Told(notification) => return Ok(Some(notification)),
                Event::Ended(Err(CallError::Closed)) if self.client.restores() => {
                    self.state = State::Lost;
                }
                Event::Ended(end) => {
                    self.state = State::Ended;
                    return end.map(|_| None);
                }
            }
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}
