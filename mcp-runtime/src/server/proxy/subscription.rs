//! Subscriptions of a proxy, which are reopened as long as its client exists.

use mcp_types::SubscriptionFilter;
use tokio::time::{Instant, sleep};

use crate::client::{Client, Subscription, SubscriptionEvent};
use crate::error::CallError;
use crate::limits::STABLE_STREAM;

/// A subscription that is opened again whenever it ends, unless the server refuses. It is also
/// opened again after a regular end, since the server may have been replaced.
pub(super) struct LastingSubscription {
    client: Client,
    filter: SubscriptionFilter,
    /// The open subscription, and the time when it was opened.
    open: Option<(Subscription, Instant)>,
    /// The number of pauses since the last subscription that was stable.
    pauses: u32,
}

impl LastingSubscription {
    /// Subscribes with `filter`. If the server can't be reached now, [`event`](Self::event) tries
    /// again later.
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

    /// Returns the next notification, or reports that the subscription was opened again.
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
                    tracing::debug!(%error, "a subscription will be opened again");
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

    /// Returns true if subscribing again would be pointless.
    fn is_final(&self, error: &CallError) -> bool {
        let is_over = self.client.connections().are_over();
        match error {
            CallError::Closed => is_over,
            CallError::Lost(_) | CallError::NotSent(_) if is_over => true,
            error => !error.is_transient(),
        }
    }
}
