//! Telling a client what has changed.

use std::convert::Infallible;

use mcp_types::{
    Notification, NotificationMetaObject, NotificationParams, PromptListChangedNotification,
    RequestId, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams, ServerCapabilities, ToolListChangedNotification,
};

use super::changes::{Change, Listener};
use crate::connection::{Peer, notification};
use crate::error::CallError;
use crate::limits::ANNOUNCE_INTERVAL;

/// What a server says it tells of its own accord, in its capabilities.
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
        let says = |flag: Option<bool>| flag == Some(true);
        Self {
            tools: says(tools.and_then(|tools| tools.list_changed)),
            prompts: says(prompts.and_then(|prompts| prompts.list_changed)),
            resources: says(resources.and_then(|resources| resources.list_changed)),
            updates: says(resources.and_then(|resources| resources.subscribe)),
            logs: capabilities.logging.is_some(),
        }
    }

    /// Whether any changes are announced.
    pub(super) fn any(self) -> bool {
        self.tools || self.prompts || self.resources || self.updates
    }

    /// The lists whose changes are announced.
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

/// Tells a client what `listener` hears for as long as it can be told, as part of a subscription if
/// it belongs to one. Waits until the client has read what it was told before.
///
/// # Errors
///
/// When the client is gone.
pub(super) async fn announce(
    listener: &Listener,
    peer: &Peer,
    subscription: Option<&RequestId>,
) -> Result<Infallible, CallError> {
    loop {
        listener.changed().await;
        for change in listener.take() {
            peer.send_when_ready(said(change, subscription)).await?;
        }
        tokio::time::sleep(ANNOUNCE_INTERVAL).await;
    }
}

/// How a change is said.
fn said(change: Change, subscription: Option<&RequestId>) -> Vec<u8> {
    let meta = subscription.map(about);
    match change {
        Change::Tools => list_said::<ToolListChangedNotification>(meta),
        Change::Prompts => list_said::<PromptListChangedNotification>(meta),
        Change::Resources => list_said::<ResourceListChangedNotification>(meta),
        Change::Resource(uri) => {
            let mut params = ResourceUpdatedNotificationParams::new(uri);
            params.meta = meta;
            notification::<ResourceUpdatedNotification>(Some(&params))
        }
    }
}

fn list_said<N: Notification<Params = NotificationParams>>(
    meta: Option<NotificationMetaObject>,
) -> Vec<u8> {
    let params = meta.map(|meta| NotificationParams::new().with_meta(meta));
    notification::<N>(params.as_ref())
}

/// Says which subscription a notification belongs to.
pub(super) fn about(subscription: &RequestId) -> NotificationMetaObject {
    NotificationMetaObject::new().with_subscription_id(subscription.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::changes::Changes;

    #[tokio::test(start_paused = true)]
    async fn little_is_kept_for_a_client_that_does_not_read() {
        let changes = Changes::default();
        let listener = changes.listener();
        listener.want(Change::Tools);
        let (peer, mut commands) = Peer::channel();
        let telling = tokio::spawn(async move { announce(&listener, &peer, None).await });
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
        telling.abort();
    }
}
