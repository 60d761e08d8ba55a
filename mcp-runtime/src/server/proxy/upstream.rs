//! The server behind a proxy: offers its lists, and follows its changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use mcp_types::{
    LoggingLevel, Prompt, Resource, ResourceTemplate, ServerNotification, SubscriptionFilter, Tool,
};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::entries;
use super::questions::Callers;
use super::subscription::LastingSubscription;
use crate::client::{Client, SubscriptionEvent};
use crate::error::CallError;
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::protocol::{Change, accepted_lists};
use crate::server::catalog::Registry;
use crate::server::settings::Introduction;
use crate::server::{List, ServerState};
use crate::sync::lock;

#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) client: Client,
    pub(super) callers: Arc<Callers>,
    /// If true, the server's log messages are sent to the callers.
    logs: bool,
    state: Weak<ServerState>,
    /// The resources that clients of the proxy have subscribed to, each with the task that passes
    /// on its changes.
    watched: Mutex<BTreeMap<String, JoinSet<()>>>,
    /// The lists that were last offered. The lock is held during a request, because an older answer
    /// must not replace a newer one.
    offered: tokio::sync::Mutex<HashMap<List, UpstreamList>>,
}

/// The mount index of a proxy's entries, which do not come from a mounted server.
const MOUNT: usize = 0;

/// A list of the server behind a proxy, with the capabilities that concern its items.
#[derive(Clone, Debug, PartialEq)]
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
        /// True if clients can subscribe to the resources.
        watched: bool,
    },
}

/// Starts a task that is aborted when the set is dropped.
pub(super) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    tasks.spawn(task);
    tasks
}

pub(super) fn introduction(client: &Client) -> Introduction {
    let negotiated = client.negotiated();
    let mut introduction = Introduction::default();
    if let Some(instructions) = &negotiated.instructions {
        introduction.instruct(instructions.clone());
    }
    let experimental = &negotiated.peer_capabilities.experimental;
    introduction.experimental = experimental.clone();
    introduction
}

impl Upstream {
    /// Creates the server behind the proxy with the state `proxy`. Log messages of the server are
    /// sent to callers if `logs` is true.
    pub(super) fn new(
        client: Client,
        callers: Arc<Callers>,
        logs: bool,
        proxy: &Arc<ServerState>,
    ) -> Self {
        Self {
            client,
            callers,
            logs,
            state: Arc::downgrade(proxy),
            watched: Mutex::default(),
            offered: Default::default(),
        }
    }

    /// Requests all log messages from the server, if callers get them and the server supports it.
    pub(super) async fn request_logs(&self) {
        let capabilities = self.client.server_capabilities();
        // Stateless servers read the level from each request, even if they do not declare logging.
        let is_read = capabilities.logging.is_some() || !self.client.has_session().await;
        if !self.logs || !is_read {
            return;
        }
        // Request all messages: the proxy drops those below the level of its caller.
        if let Err(error) = self.client.request_logs(LoggingLevel::Debug).await {
            crate::log::warn!(%error, "can't set the log level of the server behind a proxy");
        }
    }

    /// Keeps the proxy up to date. It updates a list when `news` report a change, and everything
    /// after each reconnection.
    pub(super) async fn follow(self: Arc<Self>, mut news: Option<LastingSubscription>) {
        let mut connections = self.client.connections();
        loop {
            let event = match &mut news {
                Some(lists) => lists.event().await,
                None => {
                    connections.next().await;
                    news = listen(&self.client).await;
                    Ok(SubscriptionEvent::Reopened)
                }
            };
            let changed = match event {
                Ok(SubscriptionEvent::Notification(notification)) => {
                    match Change::by(&notification) {
                        Some(Change::Tools) => Some(List::Tools),
                        Some(Change::Prompts) => Some(List::Prompts),
                        Some(Change::Resources) => Some(List::Resources),
                        _ => continue,
                    }
                }
                Ok(SubscriptionEvent::Reopened | SubscriptionEvent::Ended) => None,
                Err(error) => {
                    crate::log::warn!(%error, "the server behind a proxy no longer announces changes of its lists");
                    news = None;
                    continue;
                }
            };
            let mut tries = 0;
            while let Err(error) = self.update(changed).await {
                crate::log::warn!(%error, "can't update the lists of the server behind a proxy");
                let reconnect = self.client.reconnect();
                if !error.is_transient() || !reconnect.allows_try_after(tries) {
                    break;
                }
                sleep(reconnect.pause_before(tries)).await;
                tries += 1;
            }
        }
    }

    /// Updates one list or, without `list`, everything: the introduction, the log level and all
    /// lists.
    ///
    /// # Errors
    ///
    /// When the server does not answer with a list.
    async fn update(self: &Arc<Self>, list: Option<List>) -> Result<(), CallError> {
        if let Some(list) = list {
            return self.update_list(list).await;
        }
        if let Err(error) = self.client.discover_again().await {
            crate::log::warn!(%error, "can't read the capabilities of the server behind a proxy");
        }
        if let Some(state) = self.state.upgrade() {
            // Clients read the introduction when they connect, so no notification is needed.
            state.change(|registry| {
                registry.introduction = introduction(&self.client);
                BTreeSet::new()
            });
            join_again_above(&state);
        }
        self.request_logs().await;
        let (_, failed) = self.update_lists().await;
        failed.map_or(Ok(()), Err)
    }

    /// Updates all lists. A list that can't be read stays as it was last offered.
    ///
    /// Returns true if any list that the server declares was read, together with an error if any
    /// list could not be read. A transient error takes precedence over others.
    pub(super) async fn update_lists(self: &Arc<Self>) -> (bool, Option<CallError>) {
        let mut is_read = false;
        let mut failed = None;
        for list in List::ALL {
            let declared = self.client.server_capabilities();
            match self.update_list(list).await {
                Ok(()) => {
                    is_read |= match list {
                        List::Tools => declared.tools.is_some(),
                        List::Prompts => declared.prompts.is_some(),
                        List::Resources => declared.resources.is_some(),
                    }
                }
                Err(error) => {
                    crate::log::warn!(%list, %error, "can't read a list of the server behind a proxy");
                    if !failed.as_ref().is_some_and(CallError::is_transient) {
                        failed = Some(error);
                    }
                }
            }
        }
        (is_read, failed)
    }

    /// Requests a list from the server, and offers its items if the list has changed.
    ///
    /// # Errors
    ///
    /// When the server does not answer with the list.
    async fn update_list(self: &Arc<Self>, list: List) -> Result<(), CallError> {
        let mut offered = self.offered.lock().await;
        let new = self.ask_for(list, offered.contains_key(&list)).await?;
        let state = self.state.upgrade();
        if let Some(state) = state.filter(|_| offered.get(&list) != Some(&new)) {
            state.change(|registry| {
                self.offer(new.clone(), registry);
                BTreeSet::from([list.into()])
            });
            offered.insert(list, new);
        }
        Ok(())
    }

    /// Requests a list from the server. `is_offered` is true if an earlier version of the list is
    /// offered, which can be kept.
    ///
    /// # Errors
    ///
    /// When the server does not answer with the list.
    async fn ask_for(&self, list: List, is_offered: bool) -> Result<UpstreamList, CallError> {
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
                let (resources, templates) = match declared.resources {
                    Some(_) => self.list_resources(is_offered).await?,
                    None => Default::default(),
                };
                UpstreamList::Resources {
                    resources,
                    templates,
                    completes,
                    watched: declared.resources.and_then(|it| it.subscribe) == Some(true),
                }
            }
        })
    }

    /// Replaces the entries of a list with entries that forward to the items of `list`.
    fn offer(self: &Arc<Self>, list: UpstreamList, registry: &mut Registry) {
        match list {
            UpstreamList::Tools(tools) => {
                let entries = tools.into_iter().filter_map(|it| entries::tool(self, it));
                registry.tools.replace_mounted(MOUNT, entries.collect());
            }
            UpstreamList::Prompts { prompts, completes } => {
                let prompts = prompts.into_iter();
                let entries = prompts.map(|it| entries::prompt(self, it, completes));
                registry.prompts.replace_mounted(MOUNT, entries.collect());
            }
            UpstreamList::Resources {
                resources,
                templates,
                completes,
                watched,
            } => {
                let resources = resources.into_iter();
                let resources = resources.map(|it| entries::resource(self, it));
                let templates = templates.into_iter();
                let templates = templates.filter_map(|it| entries::template(self, it, completes));
                let mut entries: Vec<_> = resources.chain(templates).collect();
                for entry in entries.iter_mut().filter(|_| watched) {
                    let upstream = Arc::clone(self);
                    entry.on_subscribe = Some(Arc::new(move |uri| upstream.watch(uri)));
                }
                registry.resources.replace_mounted(MOUNT, entries);
            }
        }
    }

    /// Requests the resources and the templates of the server. One of the two lists may fail.
    async fn list_resources(
        &self,
        is_offered: bool,
    ) -> Result<(Vec<Resource>, Vec<ResourceTemplate>), CallError> {
        let resources = self.client.list_resources().await;
        let templates = self.client.list_resource_templates().await;
        match (resources, templates) {
            (Err(error), Err(_)) => Err(error),
            (resources, templates) => {
                Ok((part(resources, is_offered)?, part(templates, is_offered)?))
            }
        }
    }

    fn watched(&self) -> MutexGuard<'_, BTreeMap<String, JoinSet<()>>> {
        lock(&self.watched)
    }

    /// Publishes the changes of `uri` that the server announces, until no client listens to a
    /// change.
    fn watch(self: &Arc<Self>, uri: &str) {
        let mut watched = self.watched();
        if watched.contains_key(uri) {
            return;
        }
        if watched.len() >= MAX_SUBSCRIPTIONS {
            crate::log::warn!(
                uri,
                "a resource is not watched: too many resources behind a proxy are already watched"
            );
            return;
        }
        let upstream = Arc::downgrade(self);
        let client = self.client.clone();
        let name = uri.to_owned();
        let task = spawn(async move {
            if let Err(error) = publish_changes(client, &upstream, &name).await {
                crate::log::warn!(uri = name, %error, "a subscription is not passed on");
                if let Some(upstream) = upstream.upgrade() {
                    upstream.watched().remove(&name);
                }
            }
        });
        watched.insert(uri.to_owned(), task);
    }

    /// Publishes a change of `uri`. Returns true if any client listens to it; otherwise, stops
    /// watching the resource. The lock excludes a client that subscribes at the same time.
    fn publish(&self, uri: &str) -> bool {
        let mut watched = self.watched();
        let state = self.state.upgrade();
        let heard = state.is_some_and(|state| state.publish(Change::Resource(uri.to_owned())));
        if !heard {
            watched.remove(uri);
        }
        heard
    }
}

/// Returns one part of a list, or leaves the part out if it can't be read. A transient error is
/// returned instead if an earlier version of the list is offered, which then stays.
fn part<T>(listed: Result<Vec<T>, CallError>, is_offered: bool) -> Result<Vec<T>, CallError> {
    match listed {
        Err(error) if is_offered && error.is_transient() => Err(error),
        Err(error) => {
            crate::log::warn!(%error, "can't read a part of a list of the server behind a proxy");
            Ok(Vec::new())
        }
        listed => listed,
    }
}

async fn publish_changes(
    client: Client,
    upstream: &Weak<Upstream>,
    uri: &str,
) -> Result<(), CallError> {
    let filter = SubscriptionFilter::new().with_resource_subscriptions([uri]);
    let mut subscription = LastingSubscription::open(client, filter).await?;
    loop {
        match subscription.event().await? {
            SubscriptionEvent::Notification(ServerNotification::ResourceUpdated(_)) => {}
            // The resource may have changed while there was no subscription.
            SubscriptionEvent::Reopened => {}
            _ => continue,
        }
        let upstream = upstream.upgrade();
        if upstream.is_none_or(|upstream| !upstream.publish(uri)) {
            return Ok(());
        }
    }
}

/// Updates the introductions of all servers that mount this one, at any depth.
fn join_again_above(state: &ServerState) {
    for relay in state.relays() {
        if let Some(outer) = relay.outer.upgrade() {
            outer.change(|_| BTreeSet::new());
            join_again_above(&outer);
        }
    }
}

/// Subscribes to changes of the lists of the server behind `client`. Returns `None` if the server
/// does not announce changes, or refuses.
pub(super) async fn listen(client: &Client) -> Option<LastingSubscription> {
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_prompts_list_changed(true)
        .with_resources_list_changed(true);
    let announced = accepted_lists(&filter, &client.server_capabilities());
    // Within a session, no request is needed, and the subscription shows when the session is
    // replaced.
    if !client.has_session().await && Change::lists(&announced).next().is_none() {
        return None;
    }
    let lists = LastingSubscription::open(client.clone(), filter).await;
    lists
        .inspect_err(|error| {
            crate::log::warn!(%error, "can't subscribe to the lists of the server behind a proxy");
        })
        .ok()
}
