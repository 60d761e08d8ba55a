//! `subscriptions/listen`: a request that lasts, and what it delivers meanwhile (2026-07-28,
//! "Subscriptions").

use std::convert::Infallible;
use std::sync::Arc;

use mcp_types::{
    ErrorObject, Implementation, RequestId, SubscriptionFilter,
    SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenResult, SubscriptionsListenResultMetaObject,
};

use super::announce::{about, announce};
use super::changes::{Change, Listener};
use super::{Answer, Session};
use crate::connection::{Peer, notification};
use crate::error::CallError;
use crate::protocol::Negotiated;

/// One subscription of a client without a session.
pub(super) struct Subscription {
    pub(super) id: RequestId,
    /// What the server will deliver.
    pub(super) accepted: SubscriptionFilter,
    pub(super) negotiated: Arc<Negotiated>,
    pub(super) peer: Peer,
    /// Where the end is announced.
    pub(super) session: Arc<Session>,
    pub(super) info: Implementation,
}

impl Subscription {
    /// Delivers what was subscribed to, until the server ends. It also ends when it is dropped,
    /// which is how the client does it.
    ///
    /// # Errors
    ///
    /// None: a client that can't be told anything is gone.
    pub(super) async fn serve(self) -> Result<Answer, ErrorObject> {
        let listener = self.listener();
        tokio::select! {
            biased;
            () = self.session.ended() => {}
            Err(gone) = self.deliver(&listener) => {
                tracing::debug!(id = %self.id, %gone, "a subscription ended early");
            }
        }
        let mut meta = SubscriptionsListenResultMetaObject::new(self.id);
        meta.server_info = Some(self.info);
        let result = SubscriptionsListenResult::new(meta);
        Ok(Answer::once(result, self.negotiated.revision))
    }

    /// Hears what was subscribed to, from before the client learns that it was.
    fn listener(&self) -> Listener {
        let listener = self.session.server().changes().listener();
        let accepted = &self.accepted;
        for (wanted, list) in [
            (accepted.tools_list_changed, Change::Tools),
            (accepted.prompts_list_changed, Change::Prompts),
            (accepted.resources_list_changed, Change::Resources),
        ] {
            if wanted == Some(true) {
                listener.want(list);
            }
        }
        let router = self.session.server().router();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            let canonical = router.canonical_uri(uri);
            listener.want_resource(canonical.as_deref().unwrap_or(uri), uri);
            router.wanted(uri);
        }
        listener
    }

    async fn deliver(&self, listener: &Listener) -> Result<Infallible, CallError> {
        let mut params = SubscriptionsAcknowledgedNotificationParams::new(self.accepted.clone());
        params.meta = Some(about(&self.id));
        let acknowledged = notification::<SubscriptionsAcknowledgedNotification>(Some(&params));
        self.peer.send_when_ready(acknowledged).await?;
        announce(listener, &self.peer, Some(&self.id)).await
    }
}
