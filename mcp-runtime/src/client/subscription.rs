//! Subscriptions to changes, in both eras.
//!
//! In the handshake era, a subscription filters the notifications of the session (2025-11-25,
//! "Resources", section Subscriptions). In the stateless era, a subscription is a single
//! `subscriptions/listen` request, and its notifications carry the id of the request (2026-07-28,
//! "Subscriptions").

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use mcp_types::jsonrpc::code;
use mcp_types::{
    Conform, RequestId, RequestMetaObject, ResourceUpdatedNotificationParams, ServerCapabilities,
    ServerNotification, SubscribeRequest, SubscribeRequestParams, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequest,
    SubscriptionsListenRequestParams, UnsubscribeRequest, UnsubscribeRequestParams, methods,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::Client;
use super::channel::{RequestKind, request_options};
use super::state::Notifications;
use super::supervisor::Connection;
use crate::error::{CallError, Unavailable};
use crate::limits::{FOREVER, STABLE_STREAM};
use crate::protocol::{Change, Timeouts, accepted_lists};

/// Converts the error of a server that does not know `subscriptions/listen` to
/// [`CallError::Unavailable`].
fn not_offered(error: CallError) -> CallError {
    match error {
        CallError::Rpc(error) if error.code == code::METHOD_NOT_FOUND => {
            let method = methods::SUBSCRIPTIONS_LISTEN;
            let capability = "listChanged` or `subscribe";
            Unavailable::NotOffered { method, capability }.into()
        }
        error => error,
    }
}

/// A subscription to notifications. Dropping it ends the subscription.
///
/// After a reconnection, the client subscribes again. It also reopens a subscription whose HTTP
/// stream breaks off, with the pauses and attempts of
/// [`reconnect`](crate::ClientBuilder::reconnect). The pauses start over after a stream has lasted
/// 10 seconds.
///
/// Changes may have been missed in the meantime, so each time everything in the accepted filter is
/// reported as changed once. This does not include what extensions have added to the filter
/// (`extra`): query the server for such changes.
///
/// A subscription that the server ends with a result, or refuses with an error, is not reopened.
/// Internal errors (-32603) and the HTTP statuses 408, 429 and 5xx are treated like a stream that
/// breaks off.
#[must_use = "dropping a subscription ends it"]
#[derive(Debug)]
pub struct Subscription {
    accepted: SubscriptionFilter,
    /// Notifications from the [`SubscriptionTask`], including acknowledgements.
    events: mpsc::Receiver<Result<ServerNotification, CallError>>,
    /// Changes that are assumed after the subscription was reopened.
    assumed: VecDeque<ServerNotification>,
}

impl Subscription {
    pub(super) async fn open(
        client: &Client,
        filter: SubscriptionFilter,
        in_sessions: bool,
    ) -> Result<Self, CallError> {
        let (sender, events) = mpsc::channel(1);
        let subscriber = SubscriptionTask {
            client: client.clone(),
            filter,
            in_sessions,
            notifications: client.notifications(),
            events: sender,
            resources: Vec::new(),
            acknowledged: None,
            short: 0,
            failed: 0,
        };
        tokio::spawn(subscriber.run());
        let mut subscription = Self {
            accepted: SubscriptionFilter::new(),
            events,
            assumed: VecDeque::new(),
        };
        let limit = client.state().config.timeouts.idle;
        let first = timeout(limit, subscription.receive()).await;
        let timed_out = |_| Err(CallError::timed_out(methods::SUBSCRIPTIONS_LISTEN, limit));
        let first = first.unwrap_or_else(timed_out);
        match first.map_err(not_offered)? {
            Some(ServerNotification::SubscriptionsAcknowledged(_)) => {
                if subscription.accepted == SubscriptionFilter::new() {
                    crate::log::warn!("the server offers none of the changes subscribed to");
                }
                Ok(subscription)
            }
            _ => Err(CallError::unfit(
                methods::SUBSCRIPTIONS_LISTEN,
                "the server did not acknowledge the subscription",
            )),
        }
    }

    /// The filter that the server has accepted, which may be narrower than the requested one.
    #[must_use]
    pub fn accepted(&self) -> &SubscriptionFilter {
        &self.accepted
    }

    /// Waits for the next notification. Returns `None` after the server has ended the subscription
    /// normally.
    ///
    /// A notification of an extension arrives as [`ServerNotification::Unknown`]. To read its
    /// parameters, call [`params_of`](ServerNotification::params_of).
    ///
    /// This method is cancel safe: dropping its future loses no notification.
    ///
    /// # Errors
    ///
    /// [`CallError::Closed`] or [`CallError::Lost`] if the connection is lost permanently. Otherwise
    /// returns the error with which the server refused the subscription, or the last error if all
    /// attempts to reopen it have failed.
    pub async fn next(&mut self) -> Result<Option<ServerNotification>, CallError> {
        loop {
            if let Some(assumed) = self.assumed.pop_front() {
                return Ok(Some(assumed));
            }
            let notification = self.receive().await?;
            let Some(ServerNotification::SubscriptionsAcknowledged(_)) = notification else {
                return Ok(notification);
            };
            // The subscription was reopened, so changes may have been missed.
            self.assumed.extend(all_changes(&self.accepted));
        }
    }

    /// Receives a notification, and remembers the filter of an acknowledgement.
    ///
    /// This method is cancel safe.
    async fn receive(&mut self) -> Result<Option<ServerNotification>, CallError> {
        let received = self.events.recv().await.transpose()?;
        if let Some(ServerNotification::SubscriptionsAcknowledged(params)) = &received {
            self.accepted.clone_from(&params.notifications);
        }
        Ok(received)
    }
}

/// The task that keeps a [`Subscription`] open, and ends when the subscription is dropped.
struct SubscriptionTask {
    client: Client,
    filter: SubscriptionFilter,
    /// If true, the notifications of a session are used where there is a session.
    in_sessions: bool,
    notifications: Notifications,
    events: mpsc::Sender<Result<ServerNotification, CallError>>,
    resources: Vec<String>,
    acknowledged: Option<Instant>,
    /// The number of consecutive streams that did not last.
    short: u32,
    /// The number of consecutive requests that were not acknowledged.
    failed: u32,
}

impl SubscriptionTask {
    async fn run(mut self) {
        let events = self.events.clone();
        let ended = tokio::select! {
            () = events.closed() => Ok(()),
            ended = self.serve() => ended,
        };
        if let Err(error) = ended {
            // Fails if the subscription was dropped.
            let _ = events.send(Err(error)).await;
        }
        for uri in self.release() {
            let params = UnsubscribeRequestParams::new(uri);
            let ended = self.client.request::<UnsubscribeRequest>(params);
            if let Err(error) = ended.fail_fast().await {
                tracing::debug!(%error, "a subscription was not ended");
            }
        }
    }

    /// Forwards notifications until the server ends the subscription normally.
    async fn serve(&mut self) -> Result<(), CallError> {
        let mut connection = self.connection().await?;
        loop {
            let served = if self.in_sessions && connection.has_session() {
                self.follow(&connection).await
            } else {
                self.listen(&connection).await
            };
            let Err(error) = served else { return Ok(()) };
            drop(connection);
            sleep_until(self.reopen_at(error)?).await;
            // The resources were subscribed to over the old connection.
            self.release();
            let reconnected = self.connection().await;
            connection = reconnected.map_err(|_| self.client.current().borrow().lost())?;
        }
    }

    /// Waits for a connection. Before the first acknowledgement, also requests a reconnection.
    async fn connection(&self) -> Result<Arc<Connection>, CallError> {
        self.client.usable(true, self.acknowledged.is_none()).await
    }

    /// Forwards the notifications of a session until the connection ends.
    async fn follow(&mut self, connection: &Connection) -> Result<(), CallError> {
        let accepted = self
            .subscribe(&connection.negotiated.peer_capabilities)
            .await?;
        (self.failed, self.acknowledged) = (0, Some(Instant::now()));
        let params = SubscriptionsAcknowledgedNotificationParams::new(accepted.clone());
        self.pass_on(ServerNotification::SubscriptionsAcknowledged(params))
            .await;
        loop {
            tokio::select! {
                biased;
                Some(notification) = self.notifications.next() => {
                    if covers(&accepted, &notification) {
                        self.pass_on(notification).await;
                    }
                }
                _ = connection.channel.ended() => return Err(CallError::Closed),
            }
        }
    }

    /// Subscribes to the resources of the filter in a session. Returns the part of the filter that
    /// the server accepts.
    async fn subscribe(
        &mut self,
        offered: &ServerCapabilities,
    ) -> Result<SubscriptionFilter, CallError> {
        let resources = offered.resources.as_ref();
        let is_offered = resources.is_some_and(|it| it.subscribe == Some(true));
        let wanted = self.filter.resource_subscriptions.iter().flatten();
        for uri in wanted.filter(|_| is_offered) {
            let params = SubscribeRequestParams::new(uri.clone());
            match self.client.request::<SubscribeRequest>(params).await {
                Ok(_) => {
                    self.client.state().session().hold(uri);
                    self.resources.push(uri.clone());
                }
                // The subscription works without this resource, so a refusal is not an error.
                Err(CallError::Rpc(error)) => tracing::debug!(uri, %error, "not subscribed to"),
                Err(error) => return Err(error),
            }
        }
        let mut accepted = accepted_lists(&self.filter, offered);
        accepted.resource_subscriptions =
            Some(self.resources.clone()).filter(|resources| !resources.is_empty());
        Ok(accepted)
    }

    /// Releases the resources that were subscribed to. Returns the resources that no other
    /// subscription of the client needs.
    fn release(&mut self) -> Vec<String> {
        let mut session = self.client.state().session();
        let resources = self.resources.drain(..);
        resources.filter(|uri| session.release(uri)).collect()
    }

    /// Sends `subscriptions/listen` and forwards its notifications until the server answers it.
    async fn listen(&mut self, connection: &Connection) -> Result<(), CallError> {
        let state = self.client.state();
        let limit = state.config.timeouts.idle;
        let meta = state.request_meta(&connection.meta);
        let filter = self.filter.clone();
        let mut params = SubscriptionsListenRequestParams::new(RequestMetaObject::new(), filter);
        params.conform(connection.negotiated.revision);
        let kind = RequestKind::of::<SubscriptionsListenRequest>();
        let options = request_options(kind, Timeouts::within(FOREVER));
        let written = connection.channel.write(kind, &params, meta, options)?;
        let id = RequestId::Number(written.id);
        let mut response = pin!(connection.channel.send(written));
        let mut overdue = pin!(sleep(limit));
        let mut is_acknowledged = false;
        loop {
            let notification = tokio::select! {
                biased;
                Some(received) = self.notifications.receive() => {
                    if received.subscription.as_ref() != Some(&id) {
                        continue;
                    }
                    received.notification
                }
                response = &mut response => return response.map(drop),
                () = &mut overdue, if !is_acknowledged => return Err(CallError::timed_out(methods::SUBSCRIPTIONS_LISTEN, limit)),
            };
            if let ServerNotification::SubscriptionsAcknowledged(params) = &notification {
                is_acknowledged = true;
                self.acknowledged(&params.notifications);
            }
            self.pass_on(notification).await;
        }
    }

    /// Records an acknowledgement of the server. After the first, changes may have been missed, so
    /// everything that was accepted is reported to the observers of the client as changed.
    fn acknowledged(&mut self, accepted: &SubscriptionFilter) {
        self.failed = 0;
        if self.acknowledged.replace(Instant::now()).is_some() {
            for notification in all_changes(accepted) {
                self.client.state().dispatch(notification, None);
            }
        }
    }

    /// Forwards a notification. Waits until the earlier notifications were received.
    async fn pass_on(&self, notification: ServerNotification) {
        // Fails if the subscription was dropped, which also ends the task.
        let _ = self.events.send(Ok(notification)).await;
    }

    /// Decides when to reopen the subscription after it has failed with `error`.
    ///
    /// # Errors
    ///
    /// Returns `error` if the subscription must not be reopened.
    fn reopen_at(&mut self, error: CallError) -> Result<Instant, CallError> {
        let is_disconnected = match error {
            CallError::Closed | CallError::SessionEnded => true,
            CallError::Lost(_) | CallError::NotSent(_) => {
                self.client.current().borrow().usable().is_none()
            }
            _ => false,
        };
        if is_disconnected {
            // Reopen as soon as there is a connection. The supervisor pauses between attempts.
            return Ok(Instant::now());
        }
        let policy = self.client.state().config.reconnect;
        let policy = policy.filter(|it| error.is_transient() && it.allows_try_after(self.failed));
        let (Some(policy), Some(acknowledged)) = (policy, self.acknowledged) else {
            return Err(error);
        };
        if self.failed == 0 && acknowledged.elapsed() >= STABLE_STREAM {
            self.short = 0;
        }
        let pause = policy.pause_before(self.short);
        self.short += 1;
        self.failed += 1;
        Ok(Instant::now() + pause)
    }
}

fn covers(accepted: &SubscriptionFilter, notification: &ServerNotification) -> bool {
    match Change::by(notification) {
        Some(Change::Resource(uri)) => {
            let mut resources = accepted.resource_subscriptions.iter().flatten();
            resources.any(|whole| is_part(&uri, whole))
        }
        Some(changed) => Change::lists(accepted).any(|list| list == changed),
        None => false,
    }
}

pub(crate) fn all_changes(filter: &SubscriptionFilter) -> impl Iterator<Item = ServerNotification> {
    let lists = Change::lists(filter).map(|list| match list {
        Change::Tools => ServerNotification::ToolListChanged(Default::default()),
        Change::Prompts => ServerNotification::PromptListChanged(Default::default()),
        _ => ServerNotification::ResourceListChanged(Default::default()),
    });
    let resources = filter.resource_subscriptions.iter().flatten();
    let updates = resources.map(|uri| ResourceUpdatedNotificationParams::new(uri.clone()));
    lists.chain(updates.map(ServerNotification::ResourceUpdated))
}

/// Returns true if `uri` is the resource `whole` or a part of it.
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
