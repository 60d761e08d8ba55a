//! A client of a proxy with a handshake, from its `initialize` to the end of its session.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use mcp_types::{Era, ErrorObject, OrderedMap, RawJson, RawJsonRef, Revision, SubscriptionFilter};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::link::Link;
use super::names::Names;
use super::pool::Pool;
use super::routes::{announcement, exists_in, send};
use super::{Failure, ProxyServer, translation};
use crate::client::Reconnect;
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::protocol::{Change, Negotiated};
use crate::server::{Answer, RawSession, ServerRequest};
use crate::sync::lock;

/// The connection to a server as soon as there is one, or the reason why there is none.
type Slot = watch::Receiver<Option<Result<Arc<Link>, ErrorObject>>>;

/// A client with a handshake, and its connections to the servers.
pub(super) struct Caller {
    proxy: Arc<ProxyServer>,
    pub(super) number: u64,
    /// The parameters of its `initialize`.
    pub(super) introduction: OrderedMap<RawJson>,
    negotiated: Mutex<Arc<Negotiated>>,
    /// The client, for messages that belong to no request.
    peer: OnceLock<Peer>,
    slots: OnceLock<Vec<Slot>>,
    /// True if `initialize` was answered.
    pub(super) is_answered: AtomicBool,
    /// The minimum level of log messages, for stateless servers.
    pub(super) log_level: Mutex<Option<String>>,
    /// The subscriptions at stateless servers: to the lists, and to resources.
    tasks: Mutex<BTreeMap<(usize, Option<String>), JoinSet<()>>>,
}

impl Caller {
    pub(super) fn new(
        proxy: Arc<ProxyServer>,
        number: u64,
        introduction: OrderedMap<RawJson>,
        negotiated: &Arc<Negotiated>,
    ) -> Self {
        Self {
            proxy,
            number,
            introduction,
            negotiated: Mutex::new(Arc::clone(negotiated)),
            peer: OnceLock::new(),
            slots: OnceLock::new(),
            is_answered: AtomicBool::new(false),
            log_level: Mutex::default(),
            tasks: Mutex::default(),
        }
    }

    pub(super) fn revision(&self) -> Revision {
        lock(&self.negotiated).revision
    }

    /// Sets the revision that the server has chosen.
    pub(super) fn agree(&self, revision: Revision) {
        let mut negotiated = lock(&self.negotiated);
        *negotiated = Arc::new(Negotiated {
            revision,
            ..(**negotiated).clone()
        });
    }

    pub(super) fn peer(&self) -> Option<Peer> {
        self.peer.get().cloned()
    }

    /// Begins to connect to each server.
    pub(super) fn connect(self: &Arc<Self>) {
        let proxy = &self.proxy;
        let is_alone = proxy.pools.len() == 1;
        let pools = proxy.pools.iter().enumerate();
        let slots = pools.map(|(index, pool)| {
            let (sender, slot) = watch::channel(None);
            let connecting = Connecting {
                caller: Arc::downgrade(self),
                pool: Arc::clone(pool),
                index,
                is_shared: proxy.is_shared,
                is_alone,
                introduction: self.introduction.clone(),
            };
            tokio::spawn(connecting.run(sender));
            slot
        });
        self.slots.get_or_init(|| slots.collect());
    }

    /// Waits for the connection to a server.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or a person has to log in first.
    pub(super) async fn link(&self, index: usize, pool: &Pool) -> Result<Arc<Link>, Failure> {
        let slot = self.slots.get().and_then(|slots| slots.get(index));
        let mut slot = slot.cloned().ok_or(RequestError::Internal)?;
        let is_pending = slot.borrow().is_none();
        if is_pending && let Some(login) = self.peer.get().and_then(|_| pool.pending_login()) {
            return Err(login);
        }
        let waiting = tokio::spawn(async move {
            let outcome = slot.wait_for(Option::is_some).await;
            let outcome = outcome.ok().and_then(|outcome| (*outcome).clone());
            outcome.unwrap_or_else(|| Err(RequestError::Internal.to_error()))
        });
        pool.unless_login(waiting).await
    }

    /// Passes a notification of a server on that belongs to no request.
    pub(super) fn hear(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        if let Some(peer) = self.peer.get()
            && exists_in(method, self.revision())
        {
            send(peer, method, params, true);
        }
    }

    /// Tells the client that a list has changed.
    pub(super) fn announce(&self, list: Change) {
        self.hear(announcement(list).0, None);
    }

    /// Follows what a server announces: in the messages of its connection, or with a subscription at
    /// a stateless server.
    fn follow(self: &Arc<Self>, index: usize, link: &Arc<Link>) {
        match link.era() {
            Era::Handshake => link.routes.add(self),
            Era::Stateless => {
                let lists = SubscriptionFilter::new()
                    .with_tools_list_changed(true)
                    .with_prompts_list_changed(true)
                    .with_resources_list_changed(true);
                self.subscribe((index, None), link, lists);
            }
        }
    }

    /// Subscribes at a stateless server. The key tells subscriptions apart.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        key: (usize, Option<String>),
        link: &Arc<Link>,
        filter: SubscriptionFilter,
    ) {
        let mut task = JoinSet::new();
        task.spawn(translation::follow(
            Arc::downgrade(self),
            Arc::clone(link),
            filter,
        ));
        lock(&self.tasks).insert(key, task);
    }

    /// Ends a subscription.
    pub(super) fn unsubscribe(&self, key: &(usize, Option<String>)) {
        lock(&self.tasks).remove(key);
    }
}

impl RawSession for Caller {
    fn begin(self: Arc<Self>, peer: &Peer) -> Arc<Negotiated> {
        self.peer.get_or_init(|| peer.clone());
        for (index, slot) in self.slots.get().into_iter().flatten().enumerate() {
            if let Some(Ok(link)) = &*slot.borrow() {
                self.follow(index, link);
            }
        }
        Arc::clone(&lock(&self.negotiated))
    }

    fn serve(self: Arc<Self>, request: ServerRequest<'_>) -> Result<Served<Answer>, RequestError> {
        Arc::clone(&self.proxy).begin(request, Some(self))
    }

    fn notification(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        for (slot, pool) in self
            .slots
            .get()
            .into_iter()
            .flatten()
            .zip(&self.proxy.pools)
        {
            if let Some(Ok(link)) = &*slot.borrow()
                && link.era() == Era::Handshake
                && let Some(params) = renamed(&pool.names, method, params)
            {
                let params = params.as_ref().map(RawJson::as_raw);
                link.client.relay_notification(method, params);
            }
        }
    }
}

/// The parameters of a notification as a server knows them. Returns `None` if they name something of
/// another server.
fn renamed(names: &Names, method: &str, params: Option<RawJsonRef<'_>>) -> Option<Option<RawJson>> {
    params.map_or(Some(None), |params| {
        names.request(method, &params.into()).map(Some)
    })
}

/// The task that connects a caller to a server.
struct Connecting {
    caller: Weak<Caller>,
    pool: Arc<Pool>,
    index: usize,
    is_shared: bool,
    /// True if there is no other server. The caller then gets the error.
    is_alone: bool,
    introduction: OrderedMap<RawJson>,
}

impl Connecting {
    /// Connects, and fills the slot. One of several servers is tried again, with pauses, as long as
    /// the caller is there.
    async fn run(self, slot: watch::Sender<Option<Result<Arc<Link>, ErrorObject>>>) {
        let mut tries = 0;
        loop {
            let introduction = self.introduction.clone();
            let outcome = self.pool.for_session(introduction, self.is_shared).await;
            let is_done = outcome.is_ok() || self.is_alone;
            slot.send_replace(Some(outcome));
            if is_done || self.caller.strong_count() == 0 {
                break;
            }
            sleep(Reconnect::default().pause_before(tries)).await;
            tries += 1;
        }
        let link = slot.borrow().clone().and_then(Result::ok);
        let Some((caller, link)) = self.caller.upgrade().zip(link) else {
            return;
        };
        if caller.peer.get().is_some() {
            caller.follow(self.index, &link);
        }
        // The lists of the caller were empty until now.
        if caller.is_answered.load(Ordering::Acquire) {
            for list in [Change::Tools, Change::Prompts, Change::Resources] {
                caller.announce(list);
            }
        }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}
