//! The server behind a proxy, and the task that follows its changes.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp_types::{
    LoggingLevel, Prompt, Resource, ResourceTemplate, ServerNotification, SubscriptionFilter, Tool,
};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::entries;
use super::questions::Callers;
use super::subscriptions::{LastingSubscription, Watched};
use crate::client::{Client, SubscriptionEvent};
use crate::error::CallError;
use crate::server::List;
use crate::server::notify::Announced;
use crate::server::settings::Introduction;
use crate::server::state::ServerState;

/// The server behind a proxy.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) client: Client,
    pub(super) callers: Arc<Callers>,
    /// If set, callers are sent the server's log messages.
    logs: bool,
    /// The resources that clients of the proxy have subscribed to.
    pub(super) watched: Watched,
    /// The task that follows changes; it ends with this.
    follower: Mutex<Option<AbortHandle>>,
    /// The lists as they were last offered. One list is asked for at a time, so that no older
    /// answer replaces a newer one.
    offered: tokio::sync::Mutex<HashMap<List, UpstreamList>>,
}

/// A list of the server behind a proxy, with what it declares about its items.
#[derive(Debug, PartialEq)]
enum UpstreamList {
    Tools(Vec<Tool>),
    Prompts {
        prompts: Vec<Prompt>,
        completes: bool,
    },
    Resources {
        resources: Vec<Resource>,
        templates: Vec<ResourceTemplate>,
        completes: bool,
        subscribable: bool,
    },
}

/// The index that the entries of a proxy have in place of that of a mounted server.
const MOUNT: usize = 0;

impl Upstream {
    pub(super) fn new(client: Client, callers: Arc<Callers>, logs: bool) -> Self {
        Self {
            client,
            callers,
            logs,
            watched: Watched::default(),
            follower: Mutex::default(),
            offered: tokio::sync::Mutex::default(),
        }
    }

    /// Aborts the task `follower` when this is dropped.
    pub(super) fn follow_with(&self, follower: AbortHandle) {
        let kept = self.follower.lock();
        *kept.unwrap_or_else(PoisonError::into_inner) = Some(follower);
    }

    /// Instructions and experimental capabilities of the server, as the client knows them.
    pub(super) fn introduction(&self) -> Introduction {
        let negotiated = self.client.negotiated();
        let mut introduction = Introduction::default();
        if let Some(instructions) = &negotiated.instructions {
            introduction.instruct(instructions.clone());
        }
        let experimental = &negotiated.peer_capabilities.experimental;
        introduction.experimental = experimental.clone();
        introduction
    }

    /// Asks the server for all log messages, if it logs and callers are sent them.
    pub(super) async fn request_logs(&self) {
        let capabilities = self.client.server_capabilities();
        if !self.logs || capabilities.logging.is_none() {
            return;
        }
        // Messages below a caller's own level are left out here.
        if let Err(error) = self.client.set_log_level(LoggingLevel::Debug).await {
            tracing::warn!(%error, "the server behind a proxy logs as it likes");
        }
    }

    /// Asks the server what it is and has by now, and offers that.
    ///
    /// # Errors
    ///
    /// When it does not answer with a list.
    async fn update(self: &Arc<Self>, state: &Arc<ServerState>) -> Result<(), CallError> {
        if let Err(error) = self.client.discover_again().await {
            tracing::warn!(%error, "the server behind a proxy does not say what it offers");
        }
        introduce(state, self.introduction());
        self.request_logs().await;
        for list in List::ALL {
            self.update_list(state, list).await?;
        }
        Ok(())
    }

    /// Asks the server for a list, and offers its items if any has changed.
    ///
    /// # Errors
    ///
    /// When it does not answer with the list.
    pub(super) async fn update_list(
        self: &Arc<Self>,
        state: &Arc<ServerState>,
        list: List,
    ) -> Result<(), CallError> {
        let mut offered = self.offered.lock().await;
        let new = self.list(list).await?;
        if offered.get(&list) != Some(&new) {
            self.offer(state, list, &new);
            offered.insert(list, new);
        }
        Ok(())
    }

    async fn list(&self, list: List) -> Result<UpstreamList, CallError> {
        let declared = self.client.server_capabilities();
        let completes = declared.completions.is_some();
        Ok(match list {
            List::Tools => UpstreamList::Tools(match declared.tools {
                Some(_) => self.client.list_tools().await?,
                None => Vec::new(),
            }),
            List::Prompts => UpstreamList::Prompts {
                prompts: match declared.prompts {
                    Some(_) => self.client.list_prompts().await?,
                    None => Vec::new(),
                },
                completes,
            },
            List::Resources => {
                let (mut resources, mut templates) = (Vec::new(), Vec::new());
                if declared.resources.is_some() {
                    resources = self.client.list_resources().await?;
                    templates = self.client.list_resource_templates().await?;
                }
                let subscribe = declared.resources.and_then(|resources| resources.subscribe);
                UpstreamList::Resources {
                    resources,
                    templates,
                    completes,
                    subscribable: subscribe == Some(true),
                }
            }
        })
    }

    fn offer(self: &Arc<Self>, state: &Arc<ServerState>, list: List, new: &UpstreamList) {
        state.change(|registry| {
            match new {
                UpstreamList::Tools(tools) => {
                    let tools = tools.iter();
                    let routes = tools.filter_map(|tool| entries::tool(self, tool.clone()));
                    registry.tools.replace_mounted(MOUNT, routes.collect());
                }
                UpstreamList::Prompts { prompts, completes } => {
                    let prompts = prompts.iter();
                    let routes = prompts.map(|it| entries::prompt(self, it.clone(), *completes));
                    registry.prompts.replace_mounted(MOUNT, routes.collect());
                }
                UpstreamList::Resources {
                    resources,
                    templates,
                    completes,
                    subscribable,
                } => {
                    let watched = subscribable.then_some(state);
                    let mut routes = Vec::with_capacity(resources.len() + templates.len());
                    for resource in resources {
                        routes.push(entries::resource(self, watched, resource.clone()));
                    }
                    for template in templates {
                        let template = template.clone();
                        routes.extend(entries::template(self, watched, template, *completes));
                    }
                    registry.resources.replace_mounted(MOUNT, routes);
                }
            }
            BTreeSet::from([list.into()])
        });
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        let follower = self.follower.get_mut();
        if let Some(follower) = follower.unwrap_or_else(PoisonError::into_inner) {
            follower.abort();
        }
    }
}

/// Replaces the introduction of a server. No client is told: clients ask when they connect.
fn introduce(state: &ServerState, introduction: Introduction) {
    let changed = state.edit(|registry| {
        let changed = registry.introduction != introduction;
        registry.introduction = introduction;
        changed
    });
    if changed {
        join_again_above(state);
    }
}

/// Renews the introductions of the servers that mount this one, at any depth.
fn join_again_above(state: &ServerState) {
    for relay in state.relays() {
        if let Some(outer) = relay.outer.upgrade() {
            outer.edit(|_| true);
            join_again_above(&outer);
        }
    }
}

/// Subscribes to changes of the lists of the server behind `client`. `None` if it announces none,
/// or refuses.
pub(super) async fn listen(client: &Client) -> Option<LastingSubscription> {
    let announced = Announced::by(&client.server_capabilities());
    // A session costs nothing to follow, and tells of its successors.
    if !client.has_session().await && announced.lists().next().is_none() {
        return None;
    }
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resources_list_changed(true);
    match LastingSubscription::open(client.clone(), filter).await {
        Ok(lists) => Some(lists),
        Err(error) => {
            tracing::warn!(%error, "the server behind a proxy does not tell of its lists");
            None
        }
    }
}

/// Keeps `state` up to date with the server behind `client`: a list when `news` of it come, and
/// everything after each reconnection.
pub(super) async fn follow(
    client: Client,
    upstream: Weak<Upstream>,
    state: Weak<ServerState>,
    mut news: Option<LastingSubscription>,
) {
    let mut connections = client.connections();
    loop {
        let event = match &mut news {
            Some(lists) => lists.event().await,
            None => {
                connections.next().await;
                news = listen(&client).await;
                Ok(SubscriptionEvent::Reopened)
            }
        };
        let (Some(upstream), Some(state)) = (upstream.upgrade(), state.upgrade()) else {
            return;
        };
        let changed = match event {
            Ok(SubscriptionEvent::Notification(ServerNotification::ToolListChanged(_))) => {
                Some(List::Tools)
            }
            Ok(SubscriptionEvent::Notification(ServerNotification::PromptListChanged(_))) => {
                Some(List::Prompts)
            }
            Ok(SubscriptionEvent::Notification(ServerNotification::ResourceListChanged(_))) => {
                Some(List::Resources)
            }
            Ok(SubscriptionEvent::Notification(_)) => continue,
            Ok(SubscriptionEvent::Reopened | SubscriptionEvent::Ended) => None,
            Err(error) => {
                tracing::warn!(%error, "the server behind a proxy tells no more of its lists");
                news = None;
                continue;
            }
        };
        let mut tries = 0;
        loop {
            let updated = match changed {
                Some(list) => upstream.update_list(&state, list).await,
                None => upstream.update(&state).await,
            };
            let Err(error) = updated else { break };
            tracing::warn!(%error, "the server behind a proxy does not say what has changed");
            if !error.is_transient() {
                break;
            }
            sleep(client.reconnect().pause_before(tries)).await;
            tries += 1;
        }
    }
}
