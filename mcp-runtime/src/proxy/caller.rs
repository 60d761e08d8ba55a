//! A client of a proxy with a handshake, from its `initialize` to the end of its session.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use mcp_types::{Era, OrderedMap, RawJson, RawJsonRef, ServerNotification, SubscriptionFilter};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Failure;
use super::asking::{follow, subscribe};
use super::link::ServerLink;
use super::messages::{Listener, announcement};
use super::pool::{Lease, Pool};
use crate::client::Reconnect;
use crate::error::{CallError, RequestError};
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::protocol::{Change, Negotiated, accepted_lists};
use crate::sync::lock;

/// The connection to a server as soon as it is open, or the reason why it can't be opened.
type Slot = watch::Sender<Option<Result<Arc<ServerLink>, RequestError>>>;

/// The number of a server, and the URI of a resource. A key without a URI stands for the lists.
type SubscriptionKey = (usize, Option<String>);

/// A client with a handshake, and its connections to the servers.
pub(super) struct Caller {
    pools: Vec<Arc<Pool>>,
    pub(super) number: u64,
    /// The parameters of its `initialize`.
    pub(super) introduction: OrderedMap<RawJson>,
    pub(super) listener: Arc<Listener>,
    slots: Vec<Slot>,
    /// True if `initialize` was answered.
    pub(super) is_answered: AtomicBool,
    /// The minimum level of log messages, for stateless servers.
    pub(super) log_level: Mutex<Option<String>>,
    /// The subscriptions at stateless servers: to the lists, and to resources.
    tasks: Mutex<BTreeMap<SubscriptionKey, JoinSet<()>>>,
}

impl Caller {
    pub(super) fn new(
        pools: Vec<Arc<Pool>>,
        number: u64,
        introduction: OrderedMap<RawJson>,
        negotiated: &Arc<Negotiated>,
    ) -> Self {
        Self {
            slots: pools.iter().map(|_| Slot::default()).collect(),
            pools,
            number,
            introduction,
            listener: Arc::new(Listener::new(negotiated)),
            is_answered: AtomicBool::new(false),
            log_level: Mutex::default(),
            tasks: Mutex::default(),
        }
    }

    /// Begins to connect to each server.
    pub(super) fn connect(self: &Arc<Self>, is_shared: bool) {
        for (index, pool) in self.pools.iter().enumerate() {
            let caller = Arc::downgrade(self);
            tokio::spawn(connect(caller, index, Arc::clone(pool), is_shared));
        }
    }

    /// Waits for the connection to a server.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or a person has to log in first.
    pub(super) async fn link(&self, index: usize) -> Result<Arc<ServerLink>, Failure> {
        let pool = &self.pools[index];
        let mut slot = self.slots[index].subscribe();
        let is_pending = slot.borrow().is_none();
        if is_pending && let Some(login) = self.listener.peer().and_then(|_| pool.pending_login()) {
            return Err(login);
        }
        let waiting = async {
            let outcome = slot.wait_for(Option::is_some).await;
            let outcome = outcome.ok().and_then(|outcome| (*outcome).clone());
            outcome.unwrap_or_else(|| Err(RequestError::Internal))
        };
        pool.unless_login(waiting).await
    }

    /// Follows what a server announces: in the messages of its connection, or with a subscription at
    /// a stateless server.
    fn follow(self: &Arc<Self>, index: usize, link: &Arc<ServerLink>) {
        match link.era() {
            Era::Handshake => link.routes.add(&self.listener),
            Era::Stateless => {
                let lists = SubscriptionFilter::new()
                    .with_tools_list_changed(true)
                    .with_prompts_list_changed(true)
                    .with_resources_list_changed(true);
                let offered = link.client.server_capabilities();
                if accepted_lists(&lists, &offered) != SubscriptionFilter::new() {
                    // Only subscriptions to resources are limited.
                    let _ = self.subscribe((index, None), link, lists);
                }
            }
        }
    }

    /// Subscribes at a stateless server. The key tells subscriptions apart.
    ///
    /// # Errors
    ///
    /// When the client has too many subscriptions to resources.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        key: SubscriptionKey,
        link: &Arc<ServerLink>,
        filter: SubscriptionFilter,
    ) -> Result<(), RequestError> {
        let mut tasks = lock(&self.tasks);
        let resources = tasks.keys().filter(|(_, uri)| uri.is_some()).count();
        if key.1.is_some() && resources >= MAX_SUBSCRIPTIONS {
            return Err(RequestError::TooManySubscriptions(MAX_SUBSCRIPTIONS));
        }
        let mut task = JoinSet::new();
        let listener = Arc::downgrade(&self.listener);
        let following = follow_changes(listener, Arc::clone(link), filter);
        task.spawn(async {
            let Err(error) = following.await;
            crate::log::warn!(%error, "the changes of a server can't be passed on any longer");
        });
        tasks.insert(key, task);
        Ok(())
    }

    /// Follows all servers that are connected. Called when the handshake is complete.
    pub(super) fn begin(self: &Arc<Self>) {
        for (index, slot) in self.slots.iter().enumerate() {
            if let Some(Ok(link)) = &*slot.borrow() {
                self.follow(index, link);
            }
        }
    }

    fn connected(self: &Arc<Self>, index: usize, link: &Arc<ServerLink>) {
        if self.listener.peer().is_some() {
            self.follow(index, link);
        }
        // The lists of the caller were empty until now.
        if self.is_answered.load(Ordering::Acquire) {
            for list in [Change::Tools, Change::Prompts, Change::Resources] {
                self.listener.announce(list);
            }
        }
    }

    /// Passes a notification of the client on to the servers.
    pub(super) fn notify(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        for (slot, pool) in self.slots.iter().zip(&self.pools) {
            if let Some(Ok(link)) = &*slot.borrow()
                && link.era() == Era::Handshake
            {
                let own = match params.map(|it| pool.names.request(method, &it.into())) {
                    // They name something of another server.
                    Some(None) => continue,
                    own => own.flatten(),
                };
                let own = own.as_ref().map(RawJson::as_raw);
                link.client.relay_notification(method, own);
            }
        }
    }

    /// Ends a subscription.
    pub(super) fn unsubscribe(&self, key: &SubscriptionKey) {
        lock(&self.tasks).remove(key);
    }
}

/// Tells a client with a handshake about the changes that a stateless server announces.
async fn follow_changes(
    listener: Weak<Listener>,
    link: Arc<ServerLink>,
    filter: SubscriptionFilter,
) -> Result<Infallible, CallError> {
    let tell = |notification: ServerNotification| {
        if let Some((listener, change)) = listener.upgrade().zip(Change::by(&notification)) {
            let (method, params) = announcement(change);
            let params = params.map(|it| link.routes.names.notification(method, it));
            listener.hear(method, params.as_ref().map(RawJson::as_raw));
        }
    };
    let lease = || Ok(Lease::unpooled(&link));
    let open = subscribe(lease(), &filter).await?;
    follow(|| ready(lease()), &filter, open, tell).await
}

/// Connects a caller to a server, and fills the slot. One of several servers is tried again, with
/// pauses, as long as the caller is there.
async fn connect(caller: Weak<Caller>, index: usize, pool: Arc<Pool>, is_shared: bool) {
    let introduction = |caller: Arc<Caller>| caller.introduction.clone();
    let mut tries = 0;
    while let Some(introduction) = caller.upgrade().map(introduction) {
        let outcome = pool.for_session(introduction, is_shared).await;
        let Some(caller) = caller.upgrade() else {
            return;
        };
        caller.slots[index].send_replace(Some(outcome.clone()));
        if let Ok(link) = outcome {
            return caller.connected(index, &link);
        }
        // A caller of a single server gets the error.
        if caller.pools.len() == 1 {
            return;
        }
        drop(caller);
        sleep(Reconnect::default().pause_before(tries)).await;
        tries += 1;
    }
}
