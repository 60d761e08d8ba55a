//! The handle to a subscription.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use mcp_types::{ServerNotification, SubscriptionFilter, methods};

use tokio::time::{Instant, sleep_until, timeout_at};

use super::listening::{Event, Listening};
use super::reopening::{Reopening, everything};
use crate::client::dispatcher::Notifications;
use crate::client::{Client, Connections};
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
        let connections = self.connections();
        let mut subscription = Subscription::new(self, filter);
        subscription.accepted = self.subscribe_in_session(&subscription.filter).await?;
        subscription.state = State::Session(connections);
        // A server without sessions that comes after this one agrees again.
        subscription.reopening.agreed();
        Ok(subscription)
    }

    /// Subscribes to what `filter` names, in revisions without a handshake, and waits until the
    /// server has agreed (2026-07-28, "Subscriptions").
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] where the revision has no such subscriptions,
    /// [`CallError::Timeout`] where the server does not agree in time, or why it refuses.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, CallError> {
        let mut subscription = Subscription::new(self, filter);
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
/// A client that reconnects subscribes again. So it does when the stream of a subscription over HTTP
/// breaks off, after the pauses and with the tries of
/// [`reconnect`](crate::ClientBuilder::reconnect); the pauses begin anew after a stream has lasted
/// for 10 seconds. What has changed meanwhile is not known: everything that the server has agreed to
/// tell of counts as changed once each time. A server that ends the subscription by its result, or
/// refuses it with an error, is not asked again; internal errors (-32603) and HTTP 408, 429 and 5xx
/// count as streams that break off.
#[must_use = "a subscription that is dropped is over"]
pub struct Subscription {
    pub(super) client: Client,
    pub(super) filter: SubscriptionFilter,
    pub(super) accepted: SubscriptionFilter,
    pub(super) notifications: Notifications,
    pub(super) state: State,
    reopening: Reopening,
    /// Changes that are assumed, as the subscription was opened anew.
    assumed: VecDeque<ServerNotification>,
}

pub(super) enum State {
    /// A request is open, to which the notifications belong.
    Open {
        listening: Listening,
        /// Until when the server has to agree; `None` once it has.
        agrees_by: Option<Instant>,
    },
    /// There is no request. The next one is made then, at the earliest.
    Lost(Instant),
    /// The notifications are among those of a session.
    Session(Connections),
    Ended,
}

/// What comes of a subscription.
pub(crate) enum SubscriptionEvent {
    /// The server has told something.
    Told(ServerNotification),
    /// It was opened anew: what has changed meanwhile is not known.
    Reopened,
    /// The server has ended it in good order.
    Ended,
}

impl Subscription {
    fn new(client: &Client, filter: SubscriptionFilter) -> Self {
        Self {
            client: client.clone(),
            filter,
            accepted: SubscriptionFilter::new(),
            notifications: client.notifications(),
            state: State::Lost(Instant::now()),
            reopening: Reopening::default(),
            assumed: VecDeque::new(),
        }
    }

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
    /// [`CallError::Closed`] or [`CallError::Lost`] when the connection is lost for good; what the
    /// server answered, or why it could not be reached, when it refuses the subscription or all tries
    /// have failed.
    pub async fn next(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            if let Some(assumed) = self.assumed.pop_front() {
                return Ok(Some(assumed));
            }
            match self.event().await? {
                SubscriptionEvent::Told(told) => return Ok(Some(told)),
                SubscriptionEvent::Reopened => self.assumed.extend(everything(&self.accepted)),
                SubscriptionEvent::Ended => return Ok(None),
            }
        }
    }

    /// Waits for the server to agree for the first time.
    async fn agreed(&mut self) -> Result<(), CallError> {
        match self.told().await? {
            Some(ServerNotification::SubscriptionsAcknowledged(params)) => {
                self.accept(params.notifications);
                Ok(())
            }
            _ => Err(CallError::Result {
                method: methods::SUBSCRIPTIONS_LISTEN.to_owned(),
                reason: "the server did not acknowledge the subscription".to_owned(),
            }),
        }
    }

    /// What comes next.
    ///
    /// Cancel safe.
    pub(crate) async fn event(&mut self) -> Result<SubscriptionEvent, CallError> {
        loop {
            if let State::Session(_) = self.state {
                match self.event_in_session().await? {
                    Some(event) => return Ok(event),
                    None => continue,
                }
            }
            match self.told().await? {
                Some(ServerNotification::SubscriptionsAcknowledged(params)) => {
                    if self.accept(params.notifications) {
                        self.assume_changes();
                        return Ok(SubscriptionEvent::Reopened);
                    }
                }
                Some(told) => return Ok(SubscriptionEvent::Told(told)),
                None => return Ok(SubscriptionEvent::Ended),
            }
        }
    }

    /// Takes note of what the server has agreed to. `true` if it has agreed before.
    fn accept(&mut self, accepted: SubscriptionFilter) -> bool {
        self.accepted = accepted;
        if let State::Open { agrees_by, .. } = &mut self.state {
            *agrees_by = None;
        }
        self.reopening.agreed()
    }

    /// Tells observers that everything has changed, so that nothing is kept of what was known.
    fn assume_changes(&self) {
        if self.accepted.tools_list_changed == Some(true) {
            self.client.memory().forget_tools();
        }
        for changed in everything(&self.accepted) {
            self.client.dispatcher().assume(&changed);
        }
    }

    /// The next notification of the request; one that was lost is made again. `None` when the server
    /// has ended it.
    async fn told(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            match &mut self.state {
                State::Lost(until) => {
                    sleep_until(*until).await;
                    self.open().await?;
                }
                State::Open {
                    listening,
                    agrees_by,
                } => {
                    let next = listening.next(&mut self.notifications);
                    let event = match *agrees_by {
                        None => next.await,
                        Some(until) => {
                            let in_time = timeout_at(until, next).await;
                            in_time.unwrap_or_else(|_| {
                                Event::Ended(Err(timeout(self.client.config().timeouts.idle)))
                            })
                        }
                    };
                    match event {
                        Event::Told(notification) => return Ok(Some(notification)),
                        Event::Ended(end) => self.ended(end.map(|_| ()))?,
                    }
                }
                State::Session(_) | State::Ended => return Ok(None),
            }
        }
    }

    async fn open(&mut self) -> Result<(), CallError> {
        let filter = self.filter.clone();
        let listening = Listening::open(&self.client, filter).await?;
        // Whoever subscribes for the first time has a limit around this.
        let waits = self.reopening.has_agreed();
        let agrees_by = waits.then(|| Instant::now() + self.client.config().timeouts.idle);
        self.state = State::Open {
            listening,
            agrees_by,
        };
        Ok(())
    }

    /// The request is answered, or lost.
    fn ended(&mut self, end: Result<(), CallError>) -> Result<(), CallError> {
        self.state = State::Ended;
        let Err(error) = end else { return Ok(()) };
        let client = &self.client;
        // Opened again as soon as there is a connection: whoever restores it makes the pauses.
        let until = match error {
            CallError::Closed | CallError::SessionEnded => client.restores().then(Instant::now),
            CallError::Lost(_) | CallError::NotSent(_) if !client.is_connected() => {
                client.restores().then(Instant::now)
            }
            _ => self.reopening.next(&error, client.config().reconnect),
        };
        let until = until.ok_or(error)?;
        self.state = State::Lost(until);
        Ok(())
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}
