//! Subscriptions of the stateless era (2026-07-28, "Subscriptions").

use std::fmt;
use std::time::Duration;

use mcp_types::{
    Conform, RawJson, RequestId, RequestMetaObject, ServerNotification, SubscriptionFilter,
    SubscriptionsListenRequest, SubscriptionsListenRequestParams, methods,
};

use super::Client;
use super::hub::Notifications;
use super::link::Options;
use crate::driver::BoxFuture;
use crate::error::CallError;
use crate::protocol::Timeouts;

/// As good as forever: a subscription is open until somebody ends it.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

impl Client {
    /// Subscribes to what `filter` names, in revisions without a handshake, and waits until the
    /// server has agreed. Revisions with one send such notifications unasked, or after
    /// [`subscribe`](Self::subscribe).
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::SubscriptionFilter;
    ///
    /// let tools = SubscriptionFilter::new().with_tools_list_changed(true);
    /// let mut changes = client.listen(tools).await?;
    /// while changes.next().await?.is_some() {
    ///     println!("{} tools", client.list_tools().await?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
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
            Err(_) => Err(CallError::Timeout {
                method: methods::SUBSCRIPTIONS_LISTEN.to_owned(),
                waited,
            }),
        }
    }
}

/// Notifications that were subscribed to. Dropping it ends the subscription.
///
/// A client that reconnects subscribes again.
#[must_use = "a subscription that is dropped is over"]
pub struct Subscription {
    client: Client,
    filter: SubscriptionFilter,
    accepted: SubscriptionFilter,
    notifications: Notifications,
    state: State,
}

enum State {
    Open(Stream),
    /// The connection is lost, or was not used yet.
    Lost,
    Ended,
}

/// The request that the notifications belong to; its answer is the end.
struct Stream {
    id: RequestId,
    end: BoxFuture<Result<RawJson, CallError>>,
}

enum Event {
    Told(ServerNotification),
    Ended(Result<RawJson, CallError>),
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

    /// Whatever comes next on the stream, which is opened again where it was lost.
    async fn event(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            let stream = match &mut self.state {
                State::Open(stream) => stream,
                State::Lost => {
                    self.state = State::Open(open(&self.client, self.filter.clone()).await?);
                    continue;
                }
                State::Ended => return Ok(None),
            };
            match stream.next(&mut self.notifications).await {
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

/// Asks for the notifications that `filter` names.
async fn open(client: &Client, filter: SubscriptionFilter) -> Result<Stream, CallError> {
    let connection = client.connection(true).await?;
    let id = connection.link.peer().next_id();
    let agreed = &connection.agreed;
    let meta = client.memory().meta(&agreed.meta);
    let meta = client.config().tracing.extend(meta).into_owned();
    let mut params = SubscriptionsListenRequestParams::new(RequestMetaObject::new(), filter);
    params.conform(agreed.agreement.revision);
    let options = Options::new(Timeouts {
        idle: FOREVER,
        total: FOREVER,
        reset_on_progress: false,
    });
    let end = Box::pin(async move {
        let link = &connection.link;
        let request = link.request_as::<SubscriptionsListenRequest>(id, &params, &meta, options);
        request.await
    });
    let id = RequestId::Number(id);
    Ok(Stream { id, end })
}

impl Stream {
    async fn next(&mut self, notifications: &mut Notifications) -> Event {
        loop {
            tokio::select! {
                biased;
                told = notifications.next_told() => match told {
                    Some(told) if told.subscription.as_ref() == Some(&self.id) => {
                        return Event::Told(told.notification);
                    }
                    Some(_) => {}
                    None => return Event::Ended(Err(CallError::Closed)),
                },
                end = &mut self.end => return Event::Ended(end),
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
