//! Following what changes behind the proxy.

use std::sync::Weak;

use mcp_types::{ServerNotification, SubscriptionFilter};
use tokio::time::sleep;

use super::lasting::Lasting;
use super::remote::Remote;
use crate::client::{Client, SubscriptionEvent, is_lost};
use crate::server::List;
use crate::server::live::Live;
use crate::server::notify::Announced;

/// Subscribes to changes of the lists of the server behind the proxy. `None` where it does not
/// announce any, or refuses.
pub(super) async fn listen(client: &Client) -> Option<Lasting> {
    let announced = Announced::by(&client.server_capabilities());
    // A session costs nothing to follow, and tells of its successors.
    if client.has_session().await || announced.lists().next().is_some() {
        let filter = SubscriptionFilter::new()
            .with_tools_list_changed(true)
            .with_prompts_list_changed(true)
            .with_resources_list_changed(true);
        let lists = Lasting::open(client.clone(), filter).await;
        return lists
            .inspect_err(|error| {
                tracing::warn!(%error, "the server behind a proxy does not tell of its lists");
            })
            .ok();
    }
    None
}

/// Brings what `live` offers up to date with the server behind it: a list when `news` of it come,
/// and everything after each reconnection.
pub(super) async fn follow(
    client: Client,
    remote: Weak<Remote>,
    live: Weak<Live>,
    mut news: Option<Lasting>,
) {
    let mut connections = client.connections();
    loop {
        let told = match &mut news {
            Some(lists) => lists.event().await,
            None => {
                connections.next().await;
                news = listen(&client).await;
                Ok(SubscriptionEvent::Reopened)
            }
        };
        let (Some(remote), Some(live)) = (remote.upgrade(), live.upgrade()) else {
            return;
        };
        let list = match told {
            Ok(SubscriptionEvent::Told(told)) => match changed(&told) {
                Some(list) => Some(list),
                None => continue,
            },
            Ok(SubscriptionEvent::Reopened | SubscriptionEvent::Ended) => None,
            Err(error) => {
                tracing::warn!(%error, "the server behind a proxy tells no more of its lists");
                news = None;
                continue;
            }
        };
        let mut tries = 0;
        while let Err(error) = remote.update(&live, list).await {
            tracing::warn!(%error, "the server behind a proxy does not say what has changed");
            if !is_lost(&error) {
                break;
            }
            sleep(client.reconnect().pause_before(tries)).await;
            tries += 1;
        }
    }
}

fn changed(told: &ServerNotification) -> Option<List> {
    match told {
        ServerNotification::ToolListChanged(_) => Some(List::Tools),
        ServerNotification::PromptListChanged(_) => Some(List::Prompts),
        ServerNotification::ResourceListChanged(_) => Some(List::Resources),
        _ => None,
    }
}
