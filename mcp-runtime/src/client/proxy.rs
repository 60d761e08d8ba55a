//! Methods of a client that only proxies use.

use std::sync::atomic::Ordering;

use mcp_types::{
    CallToolRequest, CallToolResult, DiscoverRequest, RawJson, Request, RequestParams,
};
use tokio::sync::watch;

use super::result::{Outcome, UnknownResults};
use super::supervisor::{ConnectionState, Phase};
use super::{Call, Client, Reconnect};
use crate::connection::BoxFuture;
use crate::error::CallError;

impl Client {
    /// Returns true if the client would add its own trace context to a request sent now.
    pub(crate) fn has_trace(&self) -> bool {
        let trace = self.state().config.trace.as_ref();
        trace.is_some_and(|trace| trace().is_some())
    }

    pub(crate) fn connections(&self) -> Connections {
        let state = self.current().clone();
        let seen = state.borrow().number;
        Connections { state, seen }
    }

    /// The reconnection policy, or the default policy if the client does not reconnect.
    pub(crate) fn reconnect(&self) -> Reconnect {
        self.state().config.reconnect.unwrap_or_default()
    }

    /// Removes the limit on reconnection attempts, because the callers of a proxy can't see that its
    /// connection is lost.
    pub(crate) fn reconnect_endlessly(&self) {
        let endlessly = &self.state().config.reconnect_endlessly;
        endlessly.store(true, Ordering::Relaxed);
    }

    /// Waits for a connection, and returns true if the server keeps a session for this client.
    pub(crate) async fn has_session(&self) -> bool {
        let connection = self.connection(true).await;
        connection.is_ok_and(|connection| connection.has_session())
    }

    /// Discovers a stateless server again, in case a different server has silently replaced it. Does
    /// nothing if there is a session.
    pub(crate) async fn discover_again(&self) -> Result<(), CallError> {
        if self.connection(true).await?.has_session() {
            return Ok(());
        }
        let found = self
            .request::<DiscoverRequest>(RequestParams::new())
            .await?;
        let connection = self.connection(false).await?;
        let channel = &connection.channel;
        channel.with(|lifecycle| lifecycle.discovered_again(found));
        Ok(())
    }
}

impl Call<CallToolRequest> {
    /// Sends the call and returns its result. Returns `Ok(Err(raw))`, the unparsed result, if no
    /// extension of the client claims its `resultType`.
    pub(crate) fn forwarded(self) -> BoxFuture<Result<Result<CallToolResult, RawJson>, CallError>> {
        let converter = self.converter();
        let sent = self.unconverted(UnknownResults::ClaimedOrTaken);
        Box::pin(async move {
            let raw = sent.await?;
            match converter.outcome(&raw)? {
                Outcome::Complete => converter.read(&raw).map(Ok),
                Outcome::Unknown(_) if !converter.client().revision().has_type("ResultType") => {
                    Ok(converter.read(&raw).map_err(|_| raw))
                }
                _ => Ok(Err(raw)),
            }
        })
    }
}

impl<R: Request> Call<R> {
    /// Adds members to `_meta`, given as JSON without braces. They must not be members that the
    /// client writes itself.
    pub(crate) fn with_meta(mut self, members: String) -> Self {
        self.options.meta = members;
        self
    }

    /// Lets each progress notification restart the idle time limit. The total limit still applies.
    pub(crate) fn extended_by_progress(mut self) -> Self {
        self.options.timeouts.reset_on_progress = true;
        self
    }
}

pub(crate) struct Connections {
    state: watch::Receiver<ConnectionState>,
    /// The number of the newest connection that was seen.
    seen: u64,
}

impl Connections {
    /// Waits for a connection that is newer than the last one seen. Never returns after the client
    /// has been dropped.
    ///
    /// This method is cancel safe.
    pub(crate) async fn next(&mut self) {
        let seen = self.seen;
        let is_newer =
            |state: &ConnectionState| state.phase == Phase::Connected && state.number > seen;
        let Ok(newer) = self
            .state
            .wait_for(is_newer)
            .await
            .map(|state| state.number)
        else {
            return std::future::pending().await;
        };
        self.seen = newer;
    }

    pub(crate) fn are_over(&self) -> bool {
        self.state.has_changed().is_err()
    }
}
