//! Telling a client what has changed.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    Notification, PromptListChangedNotification, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParams, ServerCapabilities,
    ToolListChangedNotification,
};

use super::changes::{Change, Listener};
use crate::driver::Peer;
use crate::error::CallError;

/// What a server says it tells of its own accord, in its capabilities.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Announced {
    tools: bool,
    prompts: bool,
    resources: bool,
    pub(super) updates: bool,
    pub(super) logs: bool,
}

/// How long a client is left alone after it was told. What happens meanwhile is said at once then.
const PAUSE: Duration = Duration::from_millis(50);

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

/// Tells a client of the handshake era what `listener` hears, for as long as it can be told.
pub(super) async fn announce(listener: Arc<Listener>, peer: Peer) {
    loop {
        listener.changed().await;
        for change in listener.take() {
            if tell(&peer, change).await.is_err() {
                return;
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn tell(peer: &Peer, change: Change) -> Result<(), CallError> {
    match change {
        Change::Tools => tell_list::<ToolListChangedNotification>(peer).await,
        Change::Prompts => tell_list::<PromptListChangedNotification>(peer).await,
        Change::Resources => tell_list::<ResourceListChangedNotification>(peer).await,
        Change::Resource(uri) => {
            let params = ResourceUpdatedNotificationParams::new(uri);
            peer.notify_when_ready::<ResourceUpdatedNotification>(Some(&params))
                .await
        }
    }
}

async fn tell_list<N: Notification>(peer: &Peer) -> Result<(), CallError> {
    peer.notify_when_ready::<N>(None).await
}
