//! Subscriptions that outlast the server behind the proxy.

use mcp_types::SubscriptionFilter;
use tokio::time::{Instant, sleep};

use crate::client::{Client, Connections, Subscription, SubscriptionEvent, is_lost};
use crate::error::CallError;
use crate::limits::STABLE_STREAM;

/// A subscription that is opened again whatever ends it but an error of the server: also when the
/// server ends it in good order, as one that is replaced does.
pub(super) struct Lasting {
    client: Client,
    connections: Connections,
    filter: SubscriptionFilter,
    subscription: Option<Subscription>,
    opened: Instant,
    /// Pauses since one has lasted.
    pauses: u32,
}

impl Lasting {
    /// Subscribes to what `filter` names. Where the server can't be reached, that is made up for
    /// later.
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
            Err(error) if lasting.is_refusal(&error) => Err(error),
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
                Err(error) if self.is_refusal(&error) => return Err(error),
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

    /// Whether it is of no use to ask again.
    fn is_refusal(&self, error: &CallError) -> bool {
        match error {
            CallError::Closed => self.connections.are_over(),
            CallError::Lost(_) | CallError::NotSent(_) if self.connections.are_over() => true,
            error => !is_lost(error),
        }
    }
}
