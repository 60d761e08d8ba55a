//! Notifications of changes: for sessions, and for `subscriptions/listen` (2026-07-28,
//! "Subscriptions").

use std::convert::Infallible;
use std::sync::Arc;

use mcp_types::{
    ErrorObject, Implementation, Notification, NotificationMetaObject, NotificationParams,
    PromptListChangedNotification, RequestId, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParams, ServerCapabilities,
    SubscriptionFilter, SubscriptionsAcknowledgedNotification,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenResult,
    SubscriptionsListenResultMetaObject, ToolListChangedNotification,
};

use super::changes::{Change, Subscriber};
use super::{Answer, Context};
use crate::connection::{Peer, notification};
use crate::error::CallError;
use crate::limits::ANNOUNCE_INTERVAL;

/// The notifications that a server's capabilities declare.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Announced {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) updates: bool,
    pub(super) logs: bool,
}

impl Announced {
    pub(super) fn by(capabilities: &ServerCapabilities) -> Self {
        let tools = capabilities.tools.as_ref();
        let prompts = capabilities.prompts.as_ref();
        let resources = capabilities.resources.as_ref();
        let declared = |flag: Option<bool>| flag == Some(true);
        Self {
            tools: declared(tools.and_then(|tools| tools.list_changed)),
            prompts: declared(prompts.and_then(|prompts| prompts.list_changed)),
            resources: declared(resources.and_then(|resources| resources.list_changed)),
            updates: declared(resources.and_then(|resources| resources.subscribe)),
            logs: capabilities.logging.is_some(),
        }
    }

    /// Whether any changes are declared.
    pub(super) fn any(self) -> bool {
        self.tools || self.prompts || self.resources || self.updates
    }

    /// The lists whose changes are declared.
    pub(super) fn lists(self) -> impl Iterator<Item = Change> {
        let lists = [
            (self.tools, Change::Tools),
            (self.prompts, Change::Prompts),
            (self.resources, Change::Resources),
        ];
        let announced = lists.into_iter().filter(|(announced, _)| *announced);
        announced.map(|(_, list)| list)
    }
}

/// Sends the changes of `subscriber` to a client, with the id of the subscription if there is one.
/// Waits until the client has read what was sent before.
///
/// # Errors
///
/// When the connection is over.
pub(super) async fn notify(
    subscriber: &Subscriber,
    peer: &Peer,
    subscription: Option<&RequestId>,
) -> Result<Infallible, CallError> {
    loop {
        subscriber.changed().await;
        for change in subscriber.take() {
            peer.send_when_ready(written(change, subscription)).await?;
        }
        tokio::time::sleep(ANNOUNCE_INTERVAL).await;
    }
}

/// The notification of a change.
fn written(change: Change, subscription: Option<&RequestId>) -> Vec<u8> {
    let meta = subscription.map(meta_of);
    match change {
        Change::Tools => list_changed::<ToolListChangedNotification>(meta),
        Change::Prompts => list_changed::<PromptListChangedNotification>(meta),
        Change::Resources => list_changed::<ResourceListChangedNotification>(meta),
        Change::Resource(uri) => {
            let mut params = ResourceUpdatedNotificationParams::new(uri);
            params.meta = meta;
            notification::<ResourceUpdatedNotification>(Some(&params))
        }
    }
}

fn list_changed<N: Notification<Params = NotificationParams>>(
    meta: Option<NotificationMetaObject>,
) -> Vec<u8> {
    let params = meta.map(|meta| NotificationParams::new().with_meta(meta));
    notification::<N>(params.as_ref())
}

/// The `_meta` of notifications that belong to a subscription.
fn meta_of(subscription: &RequestId) -> NotificationMetaObject {
    NotificationMetaObject::new().with_subscription_id(subscription.clone())
}

/// One `subscriptions/listen` request.
pub(super) struct Subscription {
    /// The context of the request, whose session ends the subscription with itself.
    pub(super) context: Context,
    /// The part of the client's filter that is served.
    pub(super) accepted: SubscriptionFilter,
    pub(super) info: Implementation,
}

impl Subscription {
    /// Sends notifications until the server shuts down. The client cancels by ending the request,
    /// which drops this.
    ///
    /// # Errors
    ///
    /// None; the type is that of an answer.
    pub(super) async fn serve(self) -> Result<Answer, ErrorObject> {
        let subscriber = self.subscriber();
        let (id, session) = (self.context.request_id(), self.context.session());
        tokio::select! {
            biased;
            () = session.ended() => {}
            Err(gone) = self.deliver(&subscriber) => {
                tracing::debug!(%id, %gone, "a subscription ended early");
            }
        }
        let mut meta = SubscriptionsListenResultMetaObject::new(id.clone());
        meta.server_info = Some(self.info);
        let result = SubscriptionsListenResult::new(meta);
        Ok(Answer::once(result, self.context.revision()))
    }

    /// The subscriber, made before the acknowledgement, so that no change is lost in between.
    fn subscriber(&self) -> Arc<Subscriber> {
        let server = self.context.session().server();
        let subscriber = server.changes().subscriber();
        let accepted = &self.accepted;
        for (wanted, list) in [
            (accepted.tools_list_changed, Change::Tools),
            (accepted.prompts_list_changed, Change::Prompts),
            (accepted.resources_list_changed, Change::Resources),
        ] {
            if wanted == Some(true) {
                subscriber.subscribe(list);
            }
        }
        let router = server.router();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            let canonical = router.resources.canonical(uri);
            subscriber.subscribe_resource(canonical.as_deref().unwrap_or(uri), uri);
            router.resources.subscribed(uri);
        }
        subscriber
    }

    async fn deliver(&self, subscriber: &Subscriber) -> Result<Infallible, CallError> {
        let (id, peer) = (self.context.request_id(), self.context.peer());
        let mut params = SubscriptionsAcknowledgedNotificationParams::new(self.accepted.clone());
        params.meta = Some(meta_of(id));
        let acknowledged = notification::<SubscriptionsAcknowledgedNotification>(Some(&params));
        peer.send_when_ready(acknowledged).await?;
        notify(subscriber, peer, Some(id)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::changes::Changes;

    #[tokio::test(start_paused = true)]
    async fn little_is_kept_for_a_client_that_does_not_read() {
        let changes = Changes::default();
        let subscriber = changes.subscriber();
        subscriber.subscribe(Change::Tools);
        let (peer, mut commands) = Peer::channel();
        let notifying = tokio::spawn(async move { notify(&subscriber, &peer, None).await });
        for _ in 0..10_000 {
            changes.publish(Change::Tools);
            tokio::time::sleep(ANNOUNCE_INTERVAL).await;
        }
        let mut kept = 0;
        while let Ok(command) = tokio::time::timeout(ANNOUNCE_INTERVAL, commands.recv()).await {
            assert!(command.is_some());
            kept += 1;
        }
        // 64 KiB of notifications, and not one for each change.
        assert!((500..1200).contains(&kept), "{kept}");
        notifying.abort();
    }
}
