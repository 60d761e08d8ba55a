//! The task that keeps a client connected, and the connection that it publishes.
//!
//! The [`Supervisor`] waits for the end of the current connection, opens a new one and restores the
//! session. Calls read the current connection from a watch channel, and can ask the supervisor to
//! shorten the pause before the next attempt.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use mcp_types::{
    ListToolsRequest, PaginatedRequestParams, PingRequest, RawJson, Request, RequestParams, Root,
    RootsListChangedNotification, ServerCapabilities, SetLevelRequest, SetLevelRequestParams, Side,
    SubscribeRequest, SubscribeRequestParams, methods,
};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::channel::Channel;
use super::config::{KeepAlive, Reconnect};
use super::connect::{connect, expected};
use super::error::ConnectError;
use super::paging::Paging;
use super::source::Source;
use super::state::{ClientState, TransportState};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::limits::FOREVER;
use crate::protocol::{Negotiated, Timeouts};

/// Watches the connection of a client and restores it after it was lost.
pub(super) struct Supervisor {
    pub(super) state: Arc<ClientState>,
    /// How and when to reconnect; `None` if a lost connection stays lost.
    pub(super) reopening: Option<(Open, Reconnect)>,
    pub(super) current: watch::Sender<ConnectionState>,
    pub(super) demand: watch::Receiver<u64>,
}

impl Supervisor {
    /// Runs until the client is closed. If there is a list of roots, announces its changes.
    pub(super) async fn run(self, mut roots: Option<watch::Receiver<Vec<Root>>>) {
        // Attempts that failed or led to short-lived connections since the last stable connection.
        let mut tries = 0;
        loop {
            let connection = self.connection();
            let since = Instant::now();
            let watching = self.watch(&connection, &mut roots);
            let Some(cause) = self.state.unless_closing(watching).await else {
                connection.channel.close().await;
                break;
            };
            drop(connection);
            let Some((open, policy)) = &self.reopening else {
                self.enter(Phase::Closed, 0, Some(cause));
                return;
            };
            if since.elapsed() >= policy.stable_after {
                tries = 0;
            }
            let Some(connection) = self.restore(open, *policy, &mut tries, cause).await else {
                break;
            };
            // A new session starts without roots, so the server will request them anyway.
            if let Some(roots) = &mut roots {
                roots.mark_unchanged();
            }
            self.current.send_modify(|state| {
                state.phase = Phase::Connected;
                state.connection = Arc::new(connection);
                state.number += 1;
                state.tries += 1;
                state.cause = None;
            });
        }
        // `Client::close` waits for the phase, so the status must change before it.
        let closed = TransportState::Disconnected;
        self.state.set_status(|status| status.transport = closed);
        self.current.send_modify(|state| {
            state.phase = Phase::Closed;
            state.cause = None;
        });
    }

    fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.current.borrow().connection)
    }

    /// Enters a phase without a connection. `made` is the number of reconnection attempts so far.
    fn enter(&self, phase: Phase, made: u64, cause: Option<ConnectError>) {
        self.current.send_modify(|state| {
            state.phase = phase;
            state.tries = made;
            state.cause = cause.map(Arc::new).or(state.cause.take());
        });
        let transport = match phase {
            Phase::Reconnecting => TransportState::Reconnecting,
            _ => TransportState::Lost,
        };
        self.state.set_status(|status| status.transport = transport);
    }

    /// Waits for the end of the connection and returns the reason. Until then, announces changes of
    /// the roots, and aborts the connection if the server no longer answers pings.
    async fn watch(
        &self,
        connection: &Connection,
        roots: &mut Option<watch::Receiver<Vec<Root>>>,
    ) -> ConnectError {
        let channel = &connection.channel;
        let mut dead = pin!(until_dead(channel, self.state.config.keep_alive));
        loop {
            tokio::select! {
                error = channel.ended() => {
                    return error.map_or(ConnectError::ClosedInOperation, ConnectError::LostInOperation);
                }
                () = &mut dead => {
                    let reason = "the server no longer answers";
                    crate::log::warn!("{reason}, so the connection is closed");
                    channel.abort().await;
                    let error = io::Error::new(io::ErrorKind::TimedOut, reason);
                    return ConnectError::LostInOperation(error);
                }
                Some(()) = async { roots.as_mut()?.changed().await.ok() } => {
                    announce_roots(connection);
                }
            }
        }
    }

    /// Tries to connect until an attempt succeeds. Returns `None` if the client is closed
    /// meanwhile. `tries` counts all attempts, including the successful one, and `cause` is the
    /// reason why the connection was lost.
    async fn restore(
        &self,
        open: &Open,
        policy: Reconnect,
        tries: &mut u32,
        mut cause: ConnectError,
    ) -> Option<Connection> {
        let config = &self.state.config;
        let known = self.connection().negotiated.revision;
        let mut revisions = expected(config, Some(known.era()));
        let mut made = self.current.borrow().tries;
        let mut last_try = Instant::now();
        let mut demand = self.demand.clone();
        loop {
            let (phase, pause) = if policy.allows_try_after(*tries) {
                (Phase::Reconnecting, policy.pause_before(*tries))
            } else {
                crate::log::error!(tries, "the connection is lost; the next call tries again");
                (Phase::GivenUp, FOREVER)
            };
            self.enter(phase, made, Some(cause));
            let demanded = async {
                // Fails if the last handle was dropped, in which case the client is being closed.
                let _ = demand.wait_for(|demanded| *demanded > made).await;
                sleep_until(last_try + pause.min(policy.first_pause)).await;
            };
            let paused = timeout_at(last_try + pause, demanded);
            // A timeout only means that no call has requested an earlier attempt.
            let _ = self.state.unless_closing(paused).await?;
            self.enter(Phase::Reconnecting, made, None);
            *tries = tries.saturating_add(1);
            cause = match connect(&self.state, open(), revisions).await {
                Ok(connection) => {
                    let restored = self.restore_session(&connection);
                    self.state.unless_closing(restored).await;
                    return Some(connection);
                }
                Err(_) if *self.state.closing.borrow() => return None,
                Err(error) => error,
            };
            crate::log::warn!(
                error = cause.brief(),
                "the connection can't be restored yet"
            );
            if let ConnectError::Authentication(_) = cause {
                // Do not retry automatically: each attempt might ask the user to log in.
                *tries = u32::MAX;
            }
            last_try = Instant::now();
            made += 1;
            // A different server may have replaced the old one, so try all revisions from now on.
            revisions = config.revisions;
        }
    }

    /// Sets the log level, subscribes to resources and lists tools again. If the server refuses any
    /// of this, the refusal is only logged, because the connection is still useful.
    async fn restore_session(&self, connection: &Connection) {
        // Changes that were made while the client was disconnected have not been announced.
        if let Some(cache) = &self.state.cache {
            cache.clear();
        }
        let (level, subscribed, tools) = {
            let mut session = self.state.session();
            let tools = std::mem::take(&mut session.tools);
            (session.log_level.clone(), session.resources.clone(), tools)
        };
        // Without a session, each request carries the level, and each `Subscription` renews itself.
        if connection.has_session() {
            if let Some(level) = level {
                let params = SetLevelRequestParams::new(level);
                self.request::<SetLevelRequest>(connection, &params).await;
            }
            for uri in subscribed {
                let params = SubscribeRequestParams::new(uri);
                self.request::<SubscribeRequest>(connection, &params).await;
            }
        }
        if !tools.is_empty() {
            self.list_tools(connection).await;
        }
    }

    /// Lists the tools again. Tools that can't be read are left out.
    async fn list_tools(&self, connection: &Connection) -> Option<()> {
        let negotiated = &connection.negotiated;
        let source = Source {
            method: methods::TOOLS_LIST,
            tool: None,
            revision: negotiated.revision,
            server: &|| negotiated.peer_name(),
        };
        let unreadable = |error: &CallError| {
            crate::log::warn!(%error, "the tools listed after a reconnection can't be read");
        };
        let too_long =
            |reason: &String| crate::log::warn!(reason, "not all tools were listed again");
        let at = |_: &_, cursor| PaginatedRequestParams::new().with_cursor(cursor);
        let first = PaginatedRequestParams::new();
        let mut paging = Paging::new(&self.state.config, first, at);
        while let Some(params) = paging.next().inspect_err(too_long).ok()? {
            let raw = self
                .request::<ListToolsRequest>(connection, &params)
                .await?;
            let hash = paging.weigh(&raw).inspect_err(too_long).ok()?;
            let page = source.read::<ListToolsRequest>(&raw);
            let page = page.inspect_err(unreadable).ok()?;
            let tools = page.tools.into_iter();
            let tools = tools.map(|tool| (tool.name.clone(), tool));
            self.state.session().tools.extend(tools);
            paging.goes_on(hash, page.next_cursor);
        }
        Some(())
    }

    async fn request<R: Request>(
        &self,
        connection: &Connection,
        params: &R::Params,
    ) -> Option<RawJson>
    where
        R::Params: Sync,
    {
        let channel = &connection.channel;
        let timeouts = self.state.config.timeouts;
        let sent = channel.request::<R>(params, &connection.meta, timeouts);
        let warn = |error: &CallError| {
            crate::log::warn!(method = R::METHOD, %error, "the session was only partly restored");
        };
        sent.await.inspect_err(warn).ok()
    }
}

/// Pings the server, and returns when the server no longer answers. Never returns if keep-alive is
/// off or the revision has no `ping`.
async fn until_dead(channel: &Channel, keep_alive: Option<KeepAlive>) {
    let Some(keep_alive) = keep_alive else {
        return std::future::pending().await;
    };
    let mut missed = 0;
    while missed < keep_alive.misses {
        sleep(keep_alive.every).await;
        // A ping that times out is cancelled, so that transports such as HTTP release the state that
        // they keep for each request.
        let params = RequestParams::new();
        let limit = Timeouts::within(keep_alive.timeout);
        let frames = channel.frames();
        match channel.request::<PingRequest>(&params, "", limit).await {
            Err(CallError::Timeout { .. } | CallError::NotSent(_) | CallError::Lost(_))
                if channel.frames() == frames =>
            {
                missed += 1;
            }
            // The connection has ended, or the revision has no `ping`.
            Err(CallError::Closed | CallError::Unavailable(_)) => std::future::pending().await,
            // Any answer (even an error) and any other frame show that the server is alive.
            _ => missed = 0,
        }
    }
}

/// Notifies the server that the roots have changed, if the revision has such a notification.
fn announce_roots(connection: &Connection) {
    let revision = connection.negotiated.revision;
    if revision.allows(methods::NOTIFICATIONS_ROOTS_LIST_CHANGED, Side::Client) {
        // Fails if the connection is lost, but then the server requests the roots again anyway.
        let _ = connection.channel.notify::<RootsListChangedNotification>();
    }
}

/// Opens the transport of a client; called again for each reconnection.
pub(super) type Open = Box<dyn Fn() -> BoxFuture<io::Result<Channel>> + Send + Sync>;

/// A channel whose negotiation is complete.
pub(super) struct Connection {
    pub(super) channel: Channel,
    pub(super) negotiated: Arc<Negotiated<ServerCapabilities>>,
    /// The members of `_meta` that every request carries, as JSON without braces. Empty in the
    /// handshake era.
    pub(super) meta: String,
}

impl Connection {
    pub(super) fn has_session(&self) -> bool {
        self.meta.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Connected,
    Reconnecting,
    /// The connection is lost, and all attempts to restore it have failed. A call that waits for a
    /// connection triggers one more attempt.
    GivenUp,
    /// The connection is closed or will not be restored.
    Closed,
}

#[derive(Clone)]
pub(super) struct ConnectionState {
    pub(super) phase: Phase,
    pub(super) connection: Arc<Connection>,
    pub(super) number: u64,
    /// The number of reconnection attempts that have ended since the client was created.
    pub(super) tries: u64,
    /// The reason why the connection is lost; `None` if this side has closed it.
    pub(super) cause: Option<Arc<ConnectError>>,
}

impl ConnectionState {
    /// Returns the connection if it can be used. The channel is checked as well, because it may end
    /// before the supervisor changes the phase.
    pub(super) fn usable(&self) -> Option<Arc<Connection>> {
        let usable = self.phase == Phase::Connected && !self.connection.channel.is_over();
        usable.then(|| Arc::clone(&self.connection))
    }

    /// The error of a request whose answer was lost with the connection.
    pub(super) fn lost(&self) -> CallError {
        match self.cause.as_deref() {
            None | Some(ConnectError::Closed | ConnectError::ClosedInOperation) => {
                CallError::Closed
            }
            Some(cause) => CallError::Lost(cause.to_io()),
        }
    }

    /// The error of a request that was not sent because there is no connection.
    pub(super) fn not_sent(&self) -> CallError {
        match &self.cause {
            Some(cause) => CallError::NotSent(cause.to_io()),
            None => CallError::not_sent(None),
        }
    }
}
