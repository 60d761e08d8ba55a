//! The connections to one server behind a proxy, and which of them a caller gets.
//!
//! A stateless server has one connection. With a server of the handshake era, each session has its
//! own, and stateless callers take connections with their capabilities from a pool.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use mcp_types::{Era, OrderedMap, RawJson, meta_keys, methods};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::link::{Open, ServerLink};
use super::messages::info;
use super::names::Names;
use super::{Failure, Upstream};
use crate::error::RequestError;
use crate::limits::{MAX_PROXY_CONNECTIONS, PROXY_CLOSE, PROXY_IDLE, PROXY_LOGIN_WAIT};
use crate::server::Context;
use crate::sync::lock;

pub(super) struct Pool {
    pub(super) upstream: Upstream,
    pub(super) names: Names,
    permits: Arc<Semaphore>,
    /// Cloned for each connection. Taken when the proxy ends.
    open: Mutex<Option<Open>>,
    /// True if the server has refused a handshake.
    refuses_handshake: AtomicBool,
    /// True if the server has refused to be discovered.
    refuses_discovery: AtomicBool,
    /// Held while a connection is opened whose era is not known.
    opening: tokio::sync::Mutex<()>,
    /// The connection of all callers: to a stateless server, or one that all callers share.
    shared: Mutex<Option<Arc<ServerLink>>>,
    pooled: Mutex<Vec<Pooled>>,
}

/// A connection of stateless callers to a server of the handshake era.
struct Pooled {
    link: Arc<ServerLink>,
    /// The capabilities that were declared.
    capabilities: String,
    calls: usize,
    /// True if a call has the connection to itself.
    is_taken: bool,
    idle_since: Instant,
    /// Closes the connection if no call takes it for some time.
    closing: JoinSet<()>,
}

/// A connection for one call, which is given back when this is dropped.
pub(super) struct Lease {
    pub(super) link: Arc<ServerLink>,
    pool: Weak<Pool>,
}

impl Lease {
    /// Uses a connection that is not from a pool.
    pub(super) fn unpooled(link: &Arc<ServerLink>) -> Self {
        let (link, pool) = (Arc::clone(link), Weak::new());
        Self { link, pool }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give_back(&self.link);
        }
    }
}

impl Pool {
    pub(super) fn new(upstream: Upstream, names: Names, open: Open) -> Self {
        Self {
            upstream,
            names,
            permits: Arc::new(Semaphore::new(MAX_PROXY_CONNECTIONS)),
            open: Mutex::new(Some(open)),
            refuses_handshake: AtomicBool::new(false),
            refuses_discovery: AtomicBool::new(false),
            opening: tokio::sync::Mutex::default(),
            shared: Mutex::default(),
            pooled: Mutex::default(),
        }
    }

    fn shared(&self) -> Option<Arc<ServerLink>> {
        lock(&self.shared).clone()
    }

    fn pooled(&self) -> MutexGuard<'_, Vec<Pooled>> {
        lock(&self.pooled)
    }

    /// Returns true if the server has needed a handshake so far.
    pub(super) fn needs_handshake(&self) -> bool {
        let shared = self.shared();
        let is_stateless = shared.is_some_and(|link| link.era() == Era::Stateless);
        self.refuses_discovery.load(Ordering::Acquire) && !is_stateless
    }

    /// Closes the connections of all callers, and opens no others.
    pub(super) fn close(&self) {
        lock(&self.open).take();
        lock(&self.shared).take();
        self.pooled().clear();
    }

    /// Returns the connection for a session. If `is_shared`, all sessions have the same.
    ///
    /// # Errors
    ///
    /// When the server can't be reached.
    pub(super) async fn for_session(
        self: &Arc<Self>,
        introduction: OrderedMap<RawJson>,
        is_shared: bool,
    ) -> Result<Arc<ServerLink>, RequestError> {
        let is_known = self.refuses_handshake.load(Ordering::Acquire);
        let _opening = match is_known || is_shared {
            true => Some(self.opening.lock().await),
            false => None,
        };
        if let Some(link) = self.shared()
            && (is_shared || is_known)
        {
            return Ok(link);
        }
        let link = self.connect(introduction, Some(Era::Handshake)).await?;
        if link.era() == Era::Stateless || is_shared {
            return Ok(Arc::clone(lock(&self.shared).get_or_insert(link)));
        }
        Ok(link)
    }

    /// Returns a connection for a request of a stateless client.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or a login is pending.
    pub(super) async fn for_request(
        self: &Arc<Self>,
        method: &str,
        context: &Context,
    ) -> Result<Lease, Failure> {
        if let Some(login) = self.pending_login() {
            return Err(login);
        }
        let introduction = introduction(context);
        let is_taken = method != methods::SUBSCRIPTIONS_LISTEN && can_be_asked(context);
        let pool = Arc::clone(self);
        let connecting = tokio::spawn(async move { pool.for_call(introduction, is_taken).await });
        let failed = |_| Err(RequestError::Internal);
        let connecting = async { connecting.await.unwrap_or_else(failed) };
        self.unless_login(connecting).await
    }

    /// Returns a connection for one call of a stateless caller. With `is_taken`, the call has the
    /// connection to itself if the server is of the handshake era.
    ///
    /// # Errors
    ///
    /// When the server can't be reached.
    pub(super) async fn for_call(
        self: &Arc<Self>,
        introduction: OrderedMap<RawJson>,
        is_taken: bool,
    ) -> Result<Lease, RequestError> {
        let capabilities = introduction.get("capabilities").map(RawJson::to_string);
        let capabilities = capabilities.unwrap_or_default();
        let is_known = self.refuses_discovery.load(Ordering::Acquire);
        let _opening = match is_known {
            true => None,
            false => Some(self.opening.lock().await),
        };
        let shared = self.shared().filter(|link| link.era() == Era::Stateless);
        let found = shared.or_else(|| self.take(&capabilities, is_taken));
        if let Some(link) = found {
            return Ok(self.lease(link));
        }
        let first = is_known.then_some(Era::Handshake);
        let link = self.connect(introduction, first).await?;
        if link.era() == Era::Stateless {
            let link = Arc::clone(lock(&self.shared).get_or_insert(link));
            return Ok(self.lease(link));
        }
        self.pooled().push(Pooled {
            link: Arc::clone(&link),
            capabilities,
            calls: 1,
            is_taken,
            idle_since: Instant::now(),
            closing: JoinSet::new(),
        });
        Ok(self.lease(link))
    }

    fn lease(self: &Arc<Self>, link: Arc<ServerLink>) -> Lease {
        let pool = Arc::downgrade(self);
        Lease { link, pool }
    }

    fn take(&self, capabilities: &str, is_taken: bool) -> Option<Arc<ServerLink>> {
        let mut pooled = self.pooled();
        let found = pooled.iter_mut().find(|it| {
            let has_room = it.calls == 0 || !it.is_taken && !is_taken;
            it.capabilities == capabilities && has_room
        })?;
        found.calls += 1;
        found.is_taken = is_taken;
        Some(Arc::clone(&found.link))
    }

    fn give_back(self: &Arc<Self>, link: &Arc<ServerLink>) {
        let mut pooled = self.pooled();
        let Some(place) = pooled.iter().position(|it| Arc::ptr_eq(&it.link, link)) else {
            return;
        };
        let given = &mut pooled[place];
        given.calls -= 1;
        given.idle_since = Instant::now();
        if given.calls > 0 {
            return;
        }
        given.closing = JoinSet::new();
        let (pool, link) = (Arc::downgrade(self), Arc::downgrade(link));
        let closing = async move {
            sleep(PROXY_IDLE).await;
            if let Some(pool) = pool.upgrade() {
                let is_it = |it: &Pooled| std::ptr::eq(Arc::as_ptr(&it.link), link.as_ptr());
                pool.pooled().retain(|it| it.calls > 0 || !is_it(it));
            }
        };
        // Without a runtime, nothing is connected any more.
        if let Ok(runtime) = Handle::try_current() {
            given.closing.spawn_on(closing, &runtime);
        }
    }

    /// Opens a connection. It is opened even if the caller no longer waits, because a person may be
    /// logging in.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or there are too many connections.
    async fn connect(
        self: &Arc<Self>,
        introduction: OrderedMap<RawJson>,
        first: Option<Era>,
    ) -> Result<Arc<ServerLink>, RequestError> {
        let permit = self.permit().await?;
        let open = lock(&self.open).clone();
        let open = open.ok_or(RequestError::ShuttingDown)?;
        let opened = ServerLink::open(
            &self.upstream,
            self.names.clone(),
            introduction,
            first,
            (permit, open),
        );
        let link = opened.await.map_err(|reason| {
            crate::log::warn!(reason, "can't connect to the server");
            RequestError::NotConnected(reason)
        })?;
        match (first, link.era()) {
            (Some(Era::Handshake), Era::Stateless) => {
                self.refuses_handshake.store(true, Ordering::Release);
            }
            (None, Era::Handshake) => self.refuses_discovery.store(true, Ordering::Release),
            _ => {}
        }
        Ok(link)
    }

    /// Takes the permit for a connection. If all permits are taken, closes the connection that has
    /// been idle for the longest time, and waits for its permit.
    ///
    /// # Errors
    ///
    /// When all connections are in use.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, RequestError> {
        let permits = Arc::clone(&self.permits);
        if let Ok(permit) = Arc::clone(&permits).try_acquire_owned() {
            return Ok(permit);
        }
        let refused = RequestError::TooManyConnections(MAX_PROXY_CONNECTIONS);
        let closed = {
            let mut pooled = self.pooled();
            let idle = pooled.iter().enumerate().filter(|(_, it)| it.calls == 0);
            let oldest = idle.min_by_key(|(_, it)| it.idle_since);
            let oldest = oldest.map(|(place, _)| place);
            oldest.map(|place| pooled.remove(place))
        };
        drop(closed.ok_or(refused.clone())?);
        // The connection has its permit until it is closed.
        let freed = timeout(PROXY_CLOSE, permits.acquire_owned()).await;
        freed.ok().and_then(Result::ok).ok_or(refused)
    }

    /// The failure of a call while a login is pending.
    pub(super) fn pending_login(&self) -> Option<Failure> {
        (self.upstream.login)().map(Failure::Login)
    }

    /// Waits for a connection. If a person must log in first, waits only for some seconds.
    ///
    /// # Errors
    ///
    /// When the server can't be reached, or a login is pending.
    pub(super) async fn unless_login<T>(
        &self,
        connecting: impl Future<Output = Result<T, RequestError>>,
    ) -> Result<T, Failure> {
        let mut connecting = pin!(connecting);
        let outcome = match timeout(PROXY_LOGIN_WAIT, &mut connecting).await {
            Ok(outcome) => outcome,
            Err(_) => match self.pending_login() {
                Some(login) => return Err(login),
                None => connecting.await,
            },
        };
        outcome.map_err(Failure::Refused)
    }
}

/// The parameters with which a stateless client would introduce itself in a handshake.
fn introduction(context: &Context) -> OrderedMap<RawJson> {
    let member = |name, missing| {
        let member = context.meta().and_then(|meta| meta.as_raw().member(name));
        member.map_or(missing, RawJson::from)
    };
    let capabilities = member(meta_keys::CLIENT_CAPABILITIES, RawJson::empty_object());
    let name = member(meta_keys::CLIENT_INFO, RawJson::encode(&info()));
    OrderedMap::from([
        ("capabilities".to_owned(), capabilities),
        ("clientInfo".to_owned(), name),
    ])
}

/// Returns true if a call of a stateless client needs a connection to itself: questions and log
/// messages do not say which call they belong to.
fn can_be_asked(context: &Context) -> bool {
    let declared = context.client_capabilities();
    declared.elicitation.is_some()
        || declared.sampling.is_some()
        || declared.roots.is_some()
        || context.wants_logs()
}
