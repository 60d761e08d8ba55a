//! Parts of a client that only proxies use.

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
    /// Returns true if requests that are sent now are part of a trace of the client's own.
    pub(crate) fn has_trace(&self) -> bool {
        let trace = self.state().config.trace.as_ref();
        trace.is_some_and(|trace| trace().is_some())
    }

    /// Follows the connections after the current one.
    pub(crate) fn connections(&self) -> Connections {
        let state = self.current().clone();
        let seen = state.borrow().number;
        Connections { state, seen }
    }

    /// The settings of reconnection; the default ones where there is no reconnection.
    pub(crate) fn reconnect(&self) -> Reconnect {
        self.state().config.reconnect.unwrap_or_default()
    }

    /// Removes the limit of tries to reconnect: the callers of a proxy do not see its calls fail.
    pub(crate) fn reconnect_endlessly(&self) {
        let endlessly = &self.state().config.reconnect_endlessly;
        endlessly.store(true, Ordering::Relaxed);
    }

    /// Returns true if the server keeps a session for this client, now that there is a connection.
    pub(crate) async fn has_session(&self) -> bool {
        let connection = self.connection(true).await;
        connection.is_ok_and(|connection| connection.has_session())
    }

    /// Discovers a stateless server again: another one may have taken its place unnoticed. Does
    /// nothing in a session.
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
    /// Sends the call, and returns its result; as it came, if no extension of the client claims its
    /// `resultType`.
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
    /// Sends further members of `_meta`, as JSON without braces, other than those that the client
    /// writes.
    pub(crate) fn with_meta(mut self, members: String) -> Self {
        self.options.meta = members;
        self
    }

    /// Extends the wait by each progress notification, up to the same total.
    pub(crate) fn extended_by_progress(mut self) -> Self {
        self.options.timeouts.reset_on_progress = true;
        self
    }
}

/// Follows the connections of a client.
pub(crate) struct Connections {
    state: watch::Receiver<ConnectionState>,
    /// The number of the last connection seen.
    seen: u64,
}

impl Connections {
    /// Waits for a connection that is newer than the last one seen. Pending once there will be
    /// none.
    ///
    /// Cancel safe.
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

    /// Returns true if there will be no more connections.
    pub(crate) fn are_over(&self) -> bool {
        self.state.has_changed().is_err()
    }
}
