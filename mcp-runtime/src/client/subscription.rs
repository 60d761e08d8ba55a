//! Subscriptions to changes, in both eras.
//!
//! In revisions with a handshake, a subscription filters the notifications of the session
//! (2025-11-25, "Resources", section Subscriptions). In those without, it is one request,
//! `subscriptions/listen`, whose notifications carry its id (2026-07-28, "Subscriptions").

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use mcp_types::{
    Conform, RawJson, RequestId, RequestMetaObject, ResourceUpdatedNotificationParams,
    ServerCapabilities, ServerNotification, SubscribeRequest, SubscribeRequestParams,
    SubscriptionFilter, SubscriptionsListenRequest, SubscriptionsListenRequestParams,
    UnsubscribeRequest, UnsubscribeRequestParams, methods,
};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::channel::request_options;
use super::config::within;
use super::notifications::Notifications;
use super::{Changed, Client, Connections, Reconnect};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::limits::{FOREVER, STABLE_STREAM};

impl Client {
    /// Subscribes to the changes that `filter` names, in any revision, and waits until the server has
    /// agreed. The [accepted](Subscription::accepted) filter has those that the server offers.
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
        let limit = self.state().config.timeouts.idle;
        let connection = timeout(limit, self.connection(true)).await;
        let connection = connection.unwrap_or_else(|_| Err(timed_out(limit)))?;
        if !connection.has_session() {
            return self.listen(filter).await;
        }
        let mut subscription = Subscription::new(self, filter);
        subscription.state = State::Session(self.connections());
        subscription.subscribe_in_session().await?;
        subscription.reopening.acknowledged = Some(Instant::now());
        Ok(subscription)
    }

    /// Subscribes to the changes that `filter` names, in revisions without a handshake, and waits
    /// until the server has agreed (2026-07-28, "Subscriptions").
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] where the revision has no such subscriptions,
    /// [`CallError::Timeout`] where the server does not agree in time, or why it refuses.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription, CallError> {
        let mut subscription = Subscription::new(self, filter);
        let limit = self.state().config.timeouts.idle;
        let first = timeout(limit, subscription.event()).await;
        match first.unwrap_or_else(|_| Err(timed_out(limit)))? {
            SubscriptionEvent::Reopened => Ok(subscription),
            _ => Err(CallError::Result {
                method: methods::SUBSCRIPTIONS_LISTEN.to_owned(),
                reason: "the server did not acknowledge the subscription".to_owned(),
            }),
        }
    }
}

fn timed_out(waited: Duration) -> CallError {
    CallError::Timeout {
        method: methods::SUBSCRIPTIONS_LISTEN.to_owned(),
        waited,
    }
}

/// A subscription to notifications. Dropping it ends the subscription.
///
/// A client that reconnects subscribes again. So it does when the stream of a subscription over HTTP
/// breaks off, by the pauses and tries of [`reconnect`](crate::ClientBuilder::reconnect); the pauses
/// begin anew after a stream has lasted for 10 seconds. Each time, everything in the accepted filter
/// counts as changed once. A subscription that the server ends by its result, or refuses with an
/// error, is not opened again; internal errors (-32603) and HTTP 408, 429 and 5xx count as streams
/// that break off.
#[must_use = "a subscription that is dropped is over"]
pub struct Subscription {
    client: Client,
    filter: SubscriptionFilter,
    accepted: SubscriptionFilter,
    notifications: Notifications,
    state: State,
    reopening: Reopening,
    /// Changes that are assumed since the subscription was opened again.
    assumed: VecDeque<ServerNotification>,
}

enum State {
    /// The request is in flight.
    Listening(Listening),
    /// The request is sent then.
    Paused(Instant),
    /// The notifications are among those of a session.
    Session(Connections),
    Ended,
}

/// An event of a subscription.
pub(crate) enum SubscriptionEvent {
    Notification(ServerNotification),
    /// The subscription was opened. If it was before, changes in the meantime are not known.
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
            state: State::Paused(Instant::now()),
            reopening: Reopening::default(),
            assumed: VecDeque::new(),
        }
    }

    /// The filter that the server has agreed to, which may have less than was asked for.
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
    /// [`CallError::Closed`] or [`CallError::Lost`] when the connection is lost for good; the error
    /// of the server, or why it could not be reached, when it refuses the subscription or all tries
    /// have failed.
    pub async fn next(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            if let Some(assumed) = self.assumed.pop_front() {
                return Ok(Some(assumed));
            }
            match self.event().await? {
                SubscriptionEvent::Notification(notification) => return Ok(Some(notification)),
                SubscriptionEvent::Reopened => self.assumed.extend(all_changes(&self.accepted)),
                SubscriptionEvent::Ended => return Ok(None),
            }
        }
    }

    /// The next event.
    ///
    /// Cancel safe.
    pub(crate) async fn event(&mut self) -> Result<SubscriptionEvent, CallError> {
        loop {
            match &mut self.state {
                State::Session(connections) => tokio::select! {
                    biased;
                    () = connections.next() => if self.continues_in_session().await? {
                        return Ok(SubscriptionEvent::Reopened);
                    },
                    received = self.notifications.next() => match received {
                        Some(notification) if self.covers(&notification) => {
                            return Ok(SubscriptionEvent::Notification(notification));
                        }
                        Some(_) => {}
                        None => return Err(CallError::Closed),
                    },
                    lost = self.client.given_up() => return Err(lost),
                },
                State::Paused(until) => {
                    sleep_until(*until).await;
                    let mut listening = Listening::open(&self.client, &self.filter).await?;
                    // The first time is limited by `Client::listen`.
                    if self.reopening.acknowledged.is_some() {
                        let limit = self.client.state().config.timeouts.idle;
                        listening.acknowledged_by = Some((Instant::now() + limit, limit));
                    }
                    self.state = State::Listening(listening);
                }
                State::Listening(listening) => {
                    match listening.next(&mut self.notifications).await {
                        Ok(Some(ServerNotification::SubscriptionsAcknowledged(params))) => {
                            listening.acknowledged_by = None;
                            self.acknowledged(params.notifications);
                            return Ok(SubscriptionEvent::Reopened);
                        }
                        Ok(Some(other)) => return Ok(SubscriptionEvent::Notification(other)),
                        Ok(None) => self.state = State::Ended,
                        Err(error) => self.state = State::Paused(self.reopen_at(error)?),
                    }
                }
                State::Ended => return Ok(SubscriptionEvent::Ended),
            }
        }
    }

    /// Notes the filter that the server has agreed to. Unless it is the first time, everything in it
    /// counts as changed, also for the observers of the client.
    fn acknowledged(&mut self, accepted: SubscriptionFilter) {
        self.accepted = accepted;
        self.reopening.failed = 0;
        let before = self.reopening.acknowledged.replace(Instant::now());
        if before.is_none() {
            return;
        }
        let state = self.client.state();
        if self.accepted.tools_list_changed == Some(true) {
            state.session().clear_tools();
        }
        for notification in all_changes(&self.accepted) {
            state.dispatcher.dispatch(notification, None);
        }
    }

    /// The time to send the request again after it has failed with `error`.
    ///
    /// # Errors
    ///
    /// `error`, when it is not to be sent again.
    fn reopen_at(&mut self, error: CallError) -> Result<Instant, CallError> {
        self.state = State::Ended;
        let (client, config) = (&self.client, &self.client.state().config);
        let is_disconnected = match error {
            CallError::Closed | CallError::SessionEnded => true,
            CallError::Lost(_) | CallError::NotSent(_) => !client.is_connected(),
            _ => false,
        };
        let at = match is_disconnected {
            // As soon as there is a connection: its supervisor makes the pauses.
            true => client.reconnects().then(Instant::now),
            false => self.reopening.next(&error, config.reconnect),
        };
        at.ok_or(error)
    }

    /// Subscribes to the resources of the filter, in a session.
    async fn subscribe_in_session(&mut self) -> Result<(), CallError> {
        let offered = self.client.server_capabilities();
        self.accepted = accepted_lists(&self.filter, &offered);
        let resources = offered.resources.unwrap_or_default();
        let wanted = self.filter.resource_subscriptions.iter().flatten();
        for uri in wanted.filter(|_| resources.subscribe == Some(true)) {
            let params = SubscribeRequestParams::new(uri.clone());
            match self.client.request::<SubscribeRequest>(params).await {
                Ok(_) => {
                    self.client.state().session().hold(uri);
                    let accepted = &mut self.accepted.resource_subscriptions;
                    accepted.get_or_insert_default().push(uri.clone());
                }
                // The server does not announce this one.
                Err(CallError::Rpc(error)) => tracing::debug!(uri, %error, "not subscribed to"),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Goes on over a new connection, whose supervisor has subscribed to the resources again.
    /// `false` if the new server keeps no sessions.
    async fn continues_in_session(&mut self) -> Result<bool, CallError> {
        let connection = self.client.connection(true).await?;
        if !connection.has_session() {
            self.release();
            self.state = State::Paused(Instant::now());
            return Ok(false);
        }
        let resources = self.accepted.resource_subscriptions.take();
        self.accepted = accepted_lists(&self.filter, &self.client.server_capabilities());
        self.accepted.resource_subscriptions = resources;
        Ok(true)
    }

    /// Unsubscribes from the resources that no other subscription of the session is about.
    fn release(&mut self) {
        let uris = self.accepted.resource_subscriptions.take();
        let uris = uris.into_iter().flatten();
        let mut session = self.client.state().session();
        let released: Vec<_> = uris.filter(|uri| session.release(uri)).collect();
        drop(session);
        let (false, Ok(runtime)) = (released.is_empty(), Handle::try_current()) else {
            return;
        };
        let client = self.client.clone();
        runtime.spawn(async move {
            for uri in released {
                let params = UnsubscribeRequestParams::new(uri);
                let ended = client.request::<UnsubscribeRequest>(params).fail_fast();
                if let Err(error) = ended.await {
                    tracing::debug!(%error, "a subscription was not ended");
                }
            }
        });
    }

    /// Whether a notification of the session is about the accepted filter.
    fn covers(&self, notification: &ServerNotification) -> bool {
        let accepted = &self.accepted;
        match Changed::by(notification) {
            Some(Changed::Tools) => accepted.tools_list_changed == Some(true),
            Some(Changed::Prompts) => accepted.prompts_list_changed == Some(true),
            Some(Changed::Resources) => accepted.resources_list_changed == Some(true),
            Some(Changed::Resource(uri)) => {
                let mut resources = accepted.resource_subscriptions.iter().flatten();
                resources.any(|whole| is_part(&uri, whole))
            }
            None => false,
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let State::Session(_) = self.state {
            self.release();
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

/// A `subscriptions/listen` in flight. Its response is the end of the subscription.
struct Listening {
    id: RequestId,
    response: BoxFuture<Result<RawJson, CallError>>,
    /// The deadline of the acknowledgement, and the time limit that it comes from.
    acknowledged_by: Option<(Instant, Duration)>,
}

impl Listening {
    async fn open(client: &Client, filter: &SubscriptionFilter) -> Result<Self, CallError> {
        let connection = client.connection_without_demand().await?;
        let meta = client.state().request_meta(&connection.meta, "");
        let meta_object = RequestMetaObject::new();
        let mut params = SubscriptionsListenRequestParams::new(meta_object, filter.clone());
        params.conform(connection.negotiated.revision);
        let options = request_options::<SubscriptionsListenRequest>(within(FOREVER));
        let written = connection.channel.write(&params, meta, options)?;
        Ok(Self {
            id: RequestId::Number(written.id),
            response: Box::pin(async move { connection.channel.send(written).await }),
            acknowledged_by: None,
        })
    }

    /// The next notification; `None` when the server has answered the request.
    async fn next(
        &mut self,
        notifications: &mut Notifications,
    ) -> Result<Option<ServerNotification>, CallError> {
        let next = async {
            loop {
                tokio::select! {
                    biased;
                    received = notifications.receive() => match received {
                        Some(received) if received.subscription.as_ref() == Some(&self.id) => {
                            return Ok(Some(received.notification));
                        }
                        Some(_) => {}
                        None => return Err(CallError::Closed),
                    },
                    response = &mut self.response => return response.map(|_| None),
                }
            }
        };
        match self.acknowledged_by {
            None => next.await,
            Some((deadline, limit)) => {
                let in_time = timeout_at(deadline, next).await;
                in_time.unwrap_or_else(|_| Err(timed_out(limit)))
            }
        }
    }
}

/// Failures of a subscription, which determine the pause before the next try.
#[derive(Debug, Default)]
struct Reopening {
    /// Streams in a row that did not last.
    short: u32,
    /// Requests in a row that were not acknowledged.
    failed: u32,
    /// The time of the last acknowledgement.
    acknowledged: Option<Instant>,
}

impl Reopening {
    /// The time to open a stream again that has ended with `error`, if that may help.
    fn next(&mut self, error: &CallError, policy: Option<Reconnect>) -> Option<Instant> {
        let policy = policy.filter(|_| error.is_transient())?;
        let has_lasted = self.acknowledged?.elapsed() >= STABLE_STREAM;
        if self.failed == 0 && has_lasted {
            self.short = 0;
        }
        if !policy.allows_try_after(self.failed) {
            return None;
        }
        let pause = policy.pause_before(self.short);
        self.short += 1;
        self.failed += 1;
        Some(Instant::now() + pause)
    }
}

/// Notifications of all changes that a filter names.
fn all_changes(filter: &SubscriptionFilter) -> Vec<ServerNotification> {
    let mut changes = Vec::new();
    if filter.tools_list_changed == Some(true) {
        changes.push(ServerNotification::ToolListChanged(Default::default()));
    }
    if filter.prompts_list_changed == Some(true) {
        changes.push(ServerNotification::PromptListChanged(Default::default()));
    }
    if filter.resources_list_changed == Some(true) {
        changes.push(ServerNotification::ResourceListChanged(Default::default()));
    }
    for uri in filter.resource_subscriptions.iter().flatten() {
        let params = ResourceUpdatedNotificationParams::new(uri.clone());
        changes.push(ServerNotification::ResourceUpdated(params));
    }
    changes
}

/// The lists of `filter` whose changes a server announces to its sessions.
fn accepted_lists(filter: &SubscriptionFilter, offered: &ServerCapabilities) -> SubscriptionFilter {
    let tools = offered.tools.as_ref().and_then(|it| it.list_changed);
    let prompts = offered.prompts.as_ref().and_then(|it| it.list_changed);
    let resources = offered.resources.as_ref().and_then(|it| it.list_changed);
    let mut accepted = SubscriptionFilter::new();
    let both = |wanted: Option<bool>, offered: Option<bool>| {
        (wanted == Some(true) && offered == Some(true)).then_some(true)
    };
    accepted.tools_list_changed = both(filter.tools_list_changed, tools);
    accepted.prompts_list_changed = both(filter.prompts_list_changed, prompts);
    accepted.resources_list_changed = both(filter.resources_list_changed, resources);
    accepted
}

/// Whether `uri` is `whole`, or something in it.
fn is_part(uri: &str, whole: &str) -> bool {
    uri.strip_prefix(whole).is_some_and(|rest| {
        rest.is_empty() || whole.ends_with('/') || rest.starts_with(['/', '#', '?'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_resource_belong_to_it() {
        for uri in ["file:///a", "file:///a/b", "file:///a#b"] {
            assert!(is_part(uri, "file:///a"), "{uri}");
        }
        assert!(!is_part("file:///ab", "file:///a"));
        assert!(is_part("file:///a/b", "file:///a/"));
    }
}
