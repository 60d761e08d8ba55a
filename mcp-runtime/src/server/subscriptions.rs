//! `subscriptions/listen`: a request that lasts, and what it delivers meanwhile (2026-07-28,
//! "Subscriptions").

use std::sync::Arc;

use mcp_types::{
    ErrorObject, Implementation, RequestId, SubscriptionFilter,
    SubscriptionsAcknowledgedNotification, SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenResult, SubscriptionsListenResultMetaObject,
};

use super::announce::{PAUSE, about, tell};
use super::changes::{Change, Listener};
use super::{Answer, Conversation};
use crate::driver::Peer;
use crate::error::CallError;
use crate::protocol::Terms;

/// One subscription of a client without a conversation.
pub(super) struct Subscription {
    pub(super) id: RequestId,
    /// What the server will deliver.
    pub(super) accepted: SubscriptionFilter,
    pub(super) terms: Arc<Terms>,
    pub(super) peer: Peer,
    /// Where the end is announced.
    pub(super) conversation: Arc<Conversation>,
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
            () = self.conversation.ended() => {}
            Err(gone) = self.deliver(&listener) => {
                tracing::debug!(id = %self.id, %gone, "a subscription ended early");
            }
        }
        let mut meta = SubscriptionsListenResultMetaObject::new(self.id);
        meta.server_info = Some(self.info);
        let result = SubscriptionsListenResult::new(meta);
        Ok(Answer::once(result, self.terms.revision))
    }

    /// Hears what was subscribed to, from before the client learns that it was.
    fn listener(&self) -> Listener {
        let listener = self.conversation.server().changes().listener();
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
        for uri in accepted.resource_subscriptions.iter().flatten() {
            listener.want(Change::Resource(uri.clone()));
            self.conversation.server().router().wanted(uri);
        }
        listener
    }

    async fn deliver(&self, listener: &Listener) -> Result<std::convert::Infallible, CallError> {
        let mut params = SubscriptionsAcknowledgedNotificationParams::new(self.accepted.clone());
        params.meta = Some(about(&self.id));
        self.peer
            .notify_when_ready::<SubscriptionsAcknowledgedNotification>(Some(&params))
            .await?;
        loop {
            listener.changed().await;
            for change in listener.take() {
                tell(&self.peer, change, Some(&self.id)).await?;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
