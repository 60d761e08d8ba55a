//! Following what changes behind the proxy.

use std::sync::{Arc, Weak};

use mcp_types::{ServerNotification, SubscriptionFilter};
use tokio::task::AbortHandle;

use super::remote::Remote;
use crate::client::{Notifications, Subscription};
use crate::error::CallError;
use crate::server::live::Live;
use crate::server::{List, Server, task};

/// Where news come from: in some revisions they come unasked, in others they are subscribed to.
enum News {
    Unasked(Notifications),
    Asked(Box<Subscription>),
}

/// Brings the lists of `server` up to date whenever one of `dynamic` changes behind it.
///
/// # Errors
///
/// When the server behind it does not agree to tell.
pub(super) async fn follow(
    remote: &Arc<Remote>,
    server: &Server,
    dynamic: &[List],
) -> Result<Option<AbortHandle>, CallError> {
    if dynamic.is_empty() {
        return Ok(None);
    }
    let notifications = remote.client.notifications();
    let wanted = |list| dynamic.contains(&list);
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = wanted(List::Tools).then_some(true);
    filter.prompts_list_changed = wanted(List::Prompts).then_some(true);
    filter.resources_list_changed = wanted(List::Resources).then_some(true);
    let news = match remote.client.listen(filter).await {
        Ok(subscription) => News::Asked(Box::new(subscription)),
        Err(CallError::Unavailable(_)) => News::Unasked(notifications),
        Err(error) => return Err(error),
    };
    let following = run(news, Arc::downgrade(remote), Arc::downgrade(&server.live));
    Ok(Some(task::begin(Box::pin(following))))
}

async fn run(mut news: News, remote: Weak<Remote>, live: Weak<Live>) {
    while let Some(told) = news.next().await {
        let list = match told {
            ServerNotification::ToolListChanged(_) => List::Tools,
            ServerNotification::PromptListChanged(_) => List::Prompts,
            ServerNotification::ResourceListChanged(_) => List::Resources,
            _ => continue,
        };
        let (Some(remote), Some(live)) = (remote.upgrade(), live.upgrade()) else {
            return;
        };
        if let Err(error) = remote.update(&live, list).await {
            tracing::warn!(%list, %error, "the server behind a proxy does not say what has changed");
        }
    }
}

impl News {
    /// The next piece of news; `None` once there can't be any.
    async fn next(&mut self) -> Option<ServerNotification> {
        match self {
            Self::Unasked(notifications) => notifications.next().await,
            Self::Asked(subscription) => match subscription.next().await {
                Ok(told) => told,
                Err(error) => {
                    tracing::warn!(%error, "the server behind a proxy tells no more of its lists");
                    None
                }
            },
        }
    }
}
