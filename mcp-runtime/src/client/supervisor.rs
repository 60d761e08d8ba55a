//! The task that keeps a client connected.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use mcp_types::{
    ListToolsRequest, PaginatedRequestParams, PingRequest, RawJson, Request, RequestParams,
    Revisions, Root, RootsListChangedNotification, SetLevelRequest, SetLevelRequestParams, Side,
    SubscribeRequest, SubscribeRequestParams, methods,
};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use super::channel::{Channel, request_options};
use super::config::{KeepAlive, Reconnect, within};
use super::connect::{expected, finish, negotiate};
use super::connection::{Connection, ConnectionState, Open, Phase, WaitingCalls};
use super::error::ConnectError;
use super::state::ClientState;
use super::state::TransportState;
use crate::error::CallError;

/// Watches the connection of a client, and restores it when it is lost.
pub(super) struct Supervisor {
    pub(super) state: Arc<ClientState>,
    /// The means to restore a connection, if it is to be restored.
    pub(super) reopening: Option<(Open, Reconnect)>,
    pub(super) current: watch::Sender<ConnectionState>,
    pub(super) waiting: WaitingCalls,
    /// True when the client is to be closed; its sender is dropped with the last handle.
    pub(super) closing: watch::Receiver<bool>,
    /// The roots, if there is a list of them.
    pub(super) roots: Option<watch::Receiver<Vec<Root>>>,
}

impl Supervisor {
    pub(super) async fn run(self) {
        // Failed tries, and connections that did not last, since the last one that did.
        let mut tries = 0;
        let mut roots = self.roots.clone();
        loop {
            let (connection, since) = (self.connection(), Instant::now());
            let watching = self.watch(&connection, &mut roots);
            let Some(cause) = self.unless_closing(watching).await else {
                connection.channel.close().await;
                break;
            };
            drop(connection);
            let Some((open, policy)) = &self.reopening else {
                self.enter(Phase::Closed, Some(cause));
                return;
            };
            if since.elapsed() >= policy.stable_after {
                tries = 0;
            }
            self.enter(Phase::Reconnecting, Some(cause));
            let Some(connection) = self.restore(open, *policy, &mut tries).await else {
                break;
            };
            // The server asks for the roots anew.
            if let Some(roots) = &mut roots {
                roots.mark_unchanged();
            }
            self.current.send_modify(|state| {
                *state = ConnectionState::new(connection, state.failures);
            });
        }
        self.current
            .send_modify(|state| state.phase = Phase::Closed);
    }

    fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.current.borrow().connection)
    }

    /// Waits for a future; `None` as soon as the client is to be closed.
    async fn unless_closing<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut closing = self.closing.clone();
        tokio::select! {
            // Fails when the last handle was dropped.
            _ = closing.wait_for(|closing| *closing) => None,
            output = future => Some(output),
        }
    }

    fn enter(&self, phase: Phase, cause: Option<ConnectError>) {
        self.current.send_modify(|state| {
            state.phase = phase;
            state.cause = cause.map(Arc::new).or(state.cause.take());
        });
        self.state.status.set_transport(match phase {
            Phase::Connected => TransportState::Connected,
            Phase::Reconnecting => TransportState::Reconnecting,
            Phase::GivenUp | Phase::Closed => TransportState::Lost,
        });
    }

    /// Waits for the end of a connection, and ends one whose server no longer answers. Announces
    /// changes of the roots meanwhile. Returns the reason of the end.
    async fn watch(
        &self,
        connection: &Connection,
        roots: &mut Option<watch::Receiver<Vec<Root>>>,
    ) -> ConnectError {
        let channel = &connection.channel;
        let mut dead = pin!(async {
            match self.state.config.keep_alive {
                Some(keep_alive) => until_dead(channel, keep_alive).await,
                None => std::future::pending().await,
            }
        });
        loop {
            tokio::select! {
                error = channel.ended() => {
                    return error.map_or(ConnectError::Closed, ConnectError::Lost);
                }
                () = &mut dead => {
                    let reason = "the server gives no sign of life";
                    tracing::warn!("{reason}: the connection is given up");
                    channel.abort().await;
                    return ConnectError::Lost(io::Error::new(io::ErrorKind::TimedOut, reason));
                }
                () = changed(roots) => announce_roots(connection),
            }
        }
    }

    /// Connects again, until a try succeeds; `None` when the client is to be closed. `tries` counts
    /// the tries, successful ones as well.
    async fn restore(&self, open: &Open, policy: Reconnect, tries: &mut u32) -> Option<Connection> {
        let known = self.connection().negotiated.revision;
        let mut revisions = expected(&self.state.config, Some(known.era()));
        let mut last_try = Instant::now();
        loop {
            let pause = self.pause(policy, *tries, last_try);
            self.unless_closing(pause).await?;
            *tries = tries.saturating_add(1);
            let restored = self.reopen(open, revisions).await;
            last_try = Instant::now();
            let error = match restored {
                Ok(connection) => return Some(connection),
                Err(_) if *self.closing.borrow() => return None,
                Err(error) => error,
            };
            tracing::warn!(%error, "the connection can't be restored yet");
            self.current.send_modify(|state| state.failures += 1);
            self.enter(Phase::Reconnecting, Some(error));
            // The server may be another one by now.
            revisions = self.state.config.revisions;
        }
    }

    /// Waits for the time of the next try.
    async fn pause(&self, policy: Reconnect, tries: u32, last_try: Instant) {
        let config = &self.state.config;
        let endless = config.reconnect_endlessly.load(Ordering::Relaxed);
        let pause = match endless || policy.allows_try_after(tries) {
            true => Some(policy.pause_before(tries)),
            false => {
                tracing::error!(tries, "the connection is lost; the next call tries again");
                self.enter(Phase::GivenUp, None);
                None
            }
        };
        let shortest = pause.map_or(policy.first_pause, |pause| pause.min(policy.first_pause));
        let planned = async {
            match pause {
                Some(pause) => sleep_until(last_try + pause).await,
                None => std::future::pending().await,
            }
        };
        let demanded = async {
            // A call that has learned of the last failure does not wait any more.
            loop {
                self.waiting.any().await;
                sleep_until(last_try + shortest).await;
                if self.waiting.is_any() {
                    break;
                }
            }
        };
        tokio::select! {
            () = planned => {}
            () = demanded => {}
        }
        if pause.is_none() {
            self.enter(Phase::Reconnecting, None);
        }
    }

    /// Connects, and restores the session. A channel that is open when the client is to be closed is
    /// closed as well.
    async fn reopen(&self, open: &Open, revisions: Revisions) -> Result<Connection, ConnectError> {
        let opened = self.unless_closing(open()).await;
        let channel = opened.ok_or(ConnectError::Closed)?;
        let channel = channel.map_err(ConnectError::Open)?;
        let config = &self.state.config;
        let negotiated = self.unless_closing(negotiate(&channel, config, revisions));
        let negotiated = negotiated.await.unwrap_or(Err(ConnectError::Closed));
        let connection = finish(channel, config, negotiated).await?;
        // Changes in the meantime were not announced.
        if let Some(cache) = &self.state.cache {
            cache.clear();
        }
        self.unless_closing(self.restore_session(&connection)).await;
        Ok(connection)
    }

    /// Sets the log level, subscribes to resources and lists tools again. Refusals are logged: the
    /// connection is of use without.
    async fn restore_session(&self, connection: &Connection) {
        let (level, subscribed, listed) = {
            let mut session = self.state.session();
            let listed = session.clear_tools();
            (session.log_level.clone(), session.subscribed(), listed)
        };
        // Without a session, requests carry the level, and each subscription is made again by itself.
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
        if listed {
            self.list_tools(connection).await;
        }
    }

    /// Lists the tools again. One that can't be read is skipped.
    async fn list_tools(&self, connection: &Connection) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page {
            tools: Vec<RawJson>,
            next_cursor: Option<String>,
        }

        let unreadable = |error: &serde_json::Error| {
            tracing::warn!(%error, "tools were listed after a reconnection, and can't be read");
        };
        let mut params = PaginatedRequestParams::new();
        for _ in 0..self.state.config.max_pages {
            let Some(page) = self.request::<ListToolsRequest>(connection, &params).await else {
                return;
            };
            let Ok(page) = page.parse::<Page>().inspect_err(unreadable) else {
                return;
            };
            let tools = page.tools.iter();
            let tools = tools.filter_map(|tool| tool.parse().inspect_err(unreadable).ok());
            self.state.session().add_tools(tools);
            match page.next_cursor {
                Some(cursor) => params = PaginatedRequestParams::new().with_cursor(cursor),
                None => return,
            }
        }
    }

    async fn request<R: Request>(
        &self,
        connection: &Connection,
        params: &R::Params,
    ) -> Option<RawJson>
    where
        R::Params: Sync,
    {
        let options = request_options::<R>(self.state.config.timeouts);
        let channel = &connection.channel;
        let result = channel
            .request::<R>(params, &connection.meta, options)
            .await;
        result
            .inspect_err(|error| {
                tracing::warn!(method = R::METHOD, %error, "a session is not restored completely");
            })
            .ok()
    }
}

/// Pings the server, and returns when it no longer answers. Pending where there is no `ping`.
async fn until_dead(channel: &Channel, keep_alive: KeepAlive) {
    let mut missed = 0;
    while missed < keep_alive.misses {
        sleep(keep_alive.every).await;
        // Cancelled when it times out, so that a transport that keeps something for each request, as
        // HTTP does, releases it.
        let options = request_options::<PingRequest>(within(keep_alive.timeout));
        let frames = channel.frames();
        let params = RequestParams::new();
        match channel.request::<PingRequest>(&params, "", options).await {
            Err(CallError::Timeout { .. } | CallError::NotSent(_) | CallError::Lost(_))
                if channel.frames() == frames =>
            {
                missed += 1;
            }
            // The end of the connection, or a revision without `ping`.
            Err(CallError::Closed | CallError::Unavailable(_)) => std::future::pending().await,
            // Any answer is a sign of life, also an error, and so is anything else that was sent.
            _ => missed = 0,
        }
    }
}

/// Waits for the next change of the roots.
async fn changed(roots: &mut Option<watch::Receiver<Vec<Root>>>) {
    let changed = async { roots.as_mut()?.changed().await.ok() };
    if changed.await.is_none() {
        std::future::pending::<()>().await;
    }
}

/// Notifies the server that the roots have changed, in revisions that have such a notification.
fn announce_roots(connection: &Connection) {
    let revision = connection.negotiated.revision;
    if revision.allows(methods::NOTIFICATIONS_ROOTS_LIST_CHANGED, Side::Client) {
        // Fails when the connection is lost; the server asks again over the next one.
        let _ = connection.channel.notify::<RootsListChangedNotification>();
    }
}
