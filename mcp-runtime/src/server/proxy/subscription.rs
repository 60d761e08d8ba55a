//! Subscriptions of a proxy that last as long as its client.

use mcp_types::SubscriptionFilter;
use tokio::time::{Instant, sleep};

use crate::client::{Client, Subscription, SubscriptionEvent};
use crate::error::CallError;
use crate::limits::STABLE_STREAM;

/// A subscription that is opened again after any end but an error of the server; also after one in
/// good order, as of a server that is replaced.
pub(super) struct LastingSubscription {
    client: Client,
    filter: SubscriptionFilter,
    /// The subscription that is open, and the time since when it is.
    open: Option<(Subscription, Instant)>,
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
            client,
            filter,
            open: None,
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
            let event = match &mut self.open {
                Some((subscription, _)) => subscription.event().await,
                None => {
                    sleep(self.client.reconnect().pause_before(self.pauses)).await;
                    self.pauses += 1;
                    self.subscribe().await
                }
            };
            match event {
                Ok(SubscriptionEvent::Ended) => {}
                Err(error) if !self.is_final(&error) => {
                    tracing::debug!(%error, "a subscription is to be opened again");
                }
                event => return event,
            }
            let ended = self.open.take();
            if ended.is_some_and(|(_, since)| since.elapsed() >= STABLE_STREAM) {
                self.pauses = 0;
            }
        }
    }

    async fn subscribe(&mut self) -> Result<SubscriptionEvent, CallError> {
        let subscription = self.client.subscribe_to(self.filter.clone()).await?;
        self.open = Some((subscription, Instant::now()));
        Ok(SubscriptionEvent::Reopened)
    }

    /// Returns whether subscribing again would be of no use.
    fn is_final(&self, error: &CallError) -> bool {
        let is_over = self.client.connections().are_over();
        match error {
            CallError::Closed => is_over,
            CallError::Lost(_) | CallError::NotSent(_) if is_over => true,
            error => !error.is_transient(),
        }
    }
}
