//! Serves `subscriptions/listen`, the subscription of a stateless client (2026-07-28,
//! "Subscriptions").

use std::convert::Infallible;
use std::sync::Arc;

use mcp_types::{
    ErrorObject, Implementation, RequestId, SubscriptionFilter,
    SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenResult, SubscriptionsListenResultMetaObject,
};

use super::changes::{ChangeSubscriber, meta_of, notify};
use crate::connection::{BoxFuture, Peer, join_all, notification};
use crate::error::CallError;
use crate::protocol::Change;
use crate::server::catalog::Catalog;
use crate::server::resources::ResourceEntry;
use crate::server::{Answer, Context, ExtensionSubscription};

pub(in crate::server) struct ListenRequest {
    /// The part of the client's filter that the server accepts.
    pub(in crate::server) accepted: SubscriptionFilter,
    pub(in crate::server) context: Context,
    pub(in crate::server) resources: Arc<Catalog<ResourceEntry>>,
    pub(in crate::server) info: Implementation,
}

impl ListenRequest {
    /// Sends notifications, including those of extensions, until the session ends. If the client
    /// cancels the request, this future is dropped.
    ///
    /// # Errors
    ///
    /// Never fails. The return type is a `Result` because that is the type of answers.
    pub(in crate::server) async fn serve(
        self,
        listening: Vec<BoxFuture<ExtensionSubscription>>,
    ) -> Result<Answer, ErrorObject> {
        let id = self.context.request_id();
        let subscriber = self.subscriber();
        tokio::select! {
            biased;
            () = self.context.session().ended() => {}
            Err(gone) = self.deliver(id, &subscriber, listening) => {
                tracing::debug!(%id, %gone, "a subscription ended early");
            }
        }
        let mut meta = SubscriptionsListenResultMetaObject::new(id.clone());
        meta.server_info = Some(self.info);
        let result = SubscriptionsListenResult::new(meta);
        Ok(Answer::once(result, self.context.revision()))
    }

    /// Creates the subscriber. This must happen before the acknowledgement, so that no change is lost
    /// in between.
    fn subscriber(&self) -> Arc<ChangeSubscriber> {
        let subscriber = self.context.session().changes.subscriber();
        Change::lists(&self.accepted).for_each(|list| subscriber.subscribe(list));
        for uri in self.accepted.resource_subscriptions.iter().flatten() {
            let canonical = self.resources.canonical(uri);
            subscriber.subscribe_resource(canonical.as_deref().unwrap_or(uri), uri);
            self.resources.subscribed(uri);
        }
        subscriber
    }

    /// Sends the acknowledgement and then each change.
    ///
    /// # Errors
    ///
    /// Fails if the connection has ended.
    async fn deliver(
        &self,
        id: &RequestId,
        subscriber: &ChangeSubscriber,
        listening: Vec<BoxFuture<ExtensionSubscription>>,
    ) -> Result<Infallible, CallError> {
        let listening = join_all(listening).await;
        let mut accepted = self.accepted.clone();
        for listening in &listening {
            accepted.extra.extend(listening.accepted.clone());
        }
        let mut params = SubscriptionsAcknowledgedNotificationParams::new(accepted);
        params.meta = Some(meta_of(id));
        let acknowledged = notification::<SubscriptionsAcknowledgedNotification>(Some(&params));
        self.context.peer().send_when_ready(acknowledged).await?;
        let peer = self.context.peer();
        let own = notify(subscriber, peer, Some(id));
        if listening.is_empty() {
            return own.await;
        }
        let pass_on = listening.into_iter().map(|listening| -> BoxFuture<_> {
            let peer = peer.clone();
            let id = id.clone();
            Box::pin(async move { pass_on(listening, &peer, &id).await })
        });
        let passed_on = async {
            let outcomes = join_all(pass_on.collect()).await;
            match outcomes.into_iter().find_map(Result::err) {
                Some(gone) => Err(gone),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            gone = own => gone,
            gone = passed_on => gone,
        }
    }
}

/// Sends the notifications of an extension until its channel is closed.
///
/// # Errors
///
/// Fails if the connection has ended.
async fn pass_on(
    mut listening: ExtensionSubscription,
    peer: &Peer,
    id: &RequestId,
) -> Result<(), CallError> {
    while let Some(notification) = listening.notifications.recv().await {
        peer.send_when_ready(notification.written(id)).await?;
    }
    Ok(())
}
