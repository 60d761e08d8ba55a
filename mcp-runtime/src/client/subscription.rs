//! Subscriptions to changes, in both eras.
//!
//! In revisions with a handshake, a subscription filters the notifications of the session
//! (2025-11-25, "Resources", section Subscriptions). In those without, it is one request,
//! `subscriptions/listen`, whose notifications carry its id (2026-07-28, "Subscriptions").

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

/// The error of a server without subscriptions, which does not know the method.
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
/// A client that reconnects subscribes again. So it does when the stream of a subscription over
/// HTTP breaks off, by the pauses and tries of [`reconnect`](crate::ClientBuilder::reconnect); the
/// pauses begin anew after a stream has lasted for 10 seconds. Each time, everything in the
/// accepted filter counts as changed once, except for what extensions have added to it (`extra`):
/// what has changed of that is not known, and has to be asked for. A subscription that the server ends by its result, or
/// refuses with an error, is not opened again; internal errors (-32603) and HTTP 408, 429 and 5xx
/// count as streams that break off.
#[must_use = "a subscription that is dropped is over"]
#[derive(Debug)]
pub struct Subscription {
    accepted: SubscriptionFilter,
    /// Notifications of the [`SubscriptionTask`], acknowledgements included.
    events: mpsc::Receiver<Result<ServerNotification, CallError>>,
    /// Changes that are assumed since the subscription was opened again.
    assumed: VecDeque<ServerNotification>,
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
        let first = timeout(limit, subscription.event()).await;
        let timed_out = |_| Err(CallError::timed_out(methods::SUBSCRIPTIONS_LISTEN, limit));
        let first = first.unwrap_or_else(timed_out);
        match first.map_err(not_offered)? {
            SubscriptionEvent::Reopened => {
                if subscription.accepted == SubscriptionFilter::new() {
                    crate::log::warn!("the server offers nothing of what a subscription is for");
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

    /// The next notification; `None` when the server has ended the subscription in good order. One of
    /// an extension is [`ServerNotification::Unknown`], whose parameters
    /// [`params_of`](ServerNotification::params_of) has.
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
        Ok(match self.events.recv().await.transpose()? {
            Some(ServerNotification::SubscriptionsAcknowledged(params)) => {
                self.accepted = params.notifications;
                SubscriptionEvent::Reopened
            }
            Some(notification) => SubscriptionEvent::Notification(notification),
            None => SubscriptionEvent::Ended,
        })
    }
}

/// The task that keeps a [`Subscription`] open. It ends when that is dropped.
struct SubscriptionTask {
    client: Client,
    filter: SubscriptionFilter,
    /// True if the notifications of a session suffice.
    in_sessions: bool,
    notifications: Notifications,
    events: mpsc::Sender<Result<ServerNotification, CallError>>,
    /// Resources that were subscribed to in a session.
    resources: Vec<String>,
    /// The time of the last acknowledgement.
    acknowledged: Option<Instant>,
    /// Streams in a row that did not last.
    short: u32,
    /// Requests in a row that were not acknowledged.
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
            // Fails when the subscription was dropped.
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

    /// Passes on notifications until the server has ended the subscription in good order.
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
            // They were subscribed to over the old connection.
            self.release();
            let reconnected = self.connection().await;
            connection = reconnected.map_err(|_| self.client.current().borrow().lost())?;
        }
    }

    /// Waits for a connection. Demands one, until the first acknowledgement.
    async fn connection(&self) -> Result<Arc<Connection>, CallError> {
        self.client.usable(true, self.acknowledged.is_none()).await
    }

    /// Passes on the notifications of a session, until its connection ends.
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

    /// Subscribes to the resources of the filter, in a session. Returns the part of the filter that
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
                // The server does not announce this one.
                Err(CallError::Rpc(error)) => tracing::debug!(uri, %error, "not subscribed to"),
                Err(error) => return Err(error),
            }
        }
        let mut accepted = accepted_lists(&self.filter, offered);
        accepted.resource_subscriptions =
            Some(self.resources.clone()).filter(|resources| !resources.is_empty());
        Ok(accepted)
    }

    /// Gives up the resources of the session. Returns those that nothing else is about.
    fn release(&mut self) -> Vec<String> {
        let mut session = self.client.state().session();
        let resources = self.resources.drain(..);
        resources.filter(|uri| session.release(uri)).collect()
    }

    /// Sends `subscriptions/listen`, and passes on its notifications until it is answered.
    async fn listen(&mut self, connection: &Connection) -> Result<(), CallError> {
        let state = self.client.state();
        let limit = state.config.timeouts.idle;
        let meta = state.request_meta(&connection.meta, "");
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

    /// Notes an acknowledgement of the server. Unless it is the first, everything that was accepted
    /// counts as changed, also for the observers of the client.
    fn acknowledged(&mut self, accepted: &SubscriptionFilter) {
        self.failed = 0;
        if self.acknowledged.replace(Instant::now()).is_some() {
            for notification in all_changes(accepted) {
                self.client.state().dispatch(notification, None);
            }
        }
    }

    /// Passes on a notification, once those before it were taken.
    async fn pass_on(&self, notification: ServerNotification) {
        // Fails when the subscription was dropped, which ends the task.
        let _ = self.events.send(Ok(notification)).await;
    }

    /// The time to open the subscription again after it has failed with `error`.
    ///
    /// # Errors
    ///
    /// `error`, when it is not to be opened again.
    fn reopen_at(&mut self, error: CallError) -> Result<Instant, CallError> {
        let is_disconnected = match error {
            CallError::Closed | CallError::SessionEnded => true,
            CallError::Lost(_) | CallError::NotSent(_) => {
                self.client.current().borrow().usable().is_none()
            }
            _ => false,
        };
        if is_disconnected {
            // As soon as there is a connection: its supervisor makes the pauses.
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

/// Returns true if a notification of a session is about an accepted filter.
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

/// Notifications of all changes that a filter names.
fn all_changes(filter: &SubscriptionFilter) -> impl Iterator<Item = ServerNotification> {
    let lists = Change::lists(filter).map(|list| match list {
        Change::Tools => ServerNotification::ToolListChanged(Default::default()),
        Change::Prompts => ServerNotification::PromptListChanged(Default::default()),
        _ => ServerNotification::ResourceListChanged(Default::default()),
    });
    let resources = filter.resource_subscriptions.iter().flatten();
    let updates = resources.map(|uri| ResourceUpdatedNotificationParams::new(uri.clone()));
    lists.chain(updates.map(ServerNotification::ResourceUpdated))
}

/// Returns true if `uri` is `whole`, or something in it.
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
