//! The client of a proxy, which passes messages on as they are.

use mcp_types::jsonrpc::write;
use mcp_types::{Era, RawJson, RawJsonRef, methods};
use tokio::sync::watch;

use super::raw_call::{is_mismatch, list_because_of, was_not_run};
use super::relay_config::RelayConfig;
use super::supervisor::{ConnectionState, Phase};
use super::{Client, ClientBuilder, Reconnect};
use crate::error::{CallError, RequestError};
use crate::limits::{MAX_REPEATS, MAX_SUBSCRIPTIONS, PROBE_TIMEOUT};

impl ClientBuilder {
    /// Makes the client relay messages. `first` is the era to try first.
    pub(crate) fn relay(mut self, relay: RelayConfig, first: Option<Era>) -> Self {
        self.config.last_era = first;
        self.config.relay = Some(relay);
        self
    }
}

impl Client {
    /// The result of `initialize` or `server/discover` with which the newest connection was opened.
    pub(crate) fn opened(&self) -> Option<RawJson> {
        self.state().config.relay.as_ref()?.opened()
    }

    /// Sends a request as it is, and waits for its result without a time limit. `meta`, JSON without
    /// braces, is added to the `_meta` of the parameters. If it is `None`, the request says for whom the
    /// connection was opened. `on_sent` gets the id of the request, which is also its progress token.
    ///
    /// The request is sent again only if the server did not run it.
    ///
    /// # Errors
    ///
    /// The error of the server, or the reason why there is no answer.
    pub(crate) async fn relay(
        &self,
        method: &str,
        params: &RawJson,
        meta: Option<&str>,
        wants_progress: bool,
        on_sent: impl Fn(i64) + Send,
    ) -> Result<RawJson, CallError> {
        let mut attempt = 0;
        let mut listed = false;
        self.has_room(method)?;
        loop {
            let connection = self.connection(true).await?;
            let meta = meta.unwrap_or(&connection.meta).to_owned();
            let channel = &connection.channel;
            let sending = async {
                let written = channel.write_relayed(method, params, meta, wants_progress)?;
                on_sent(written.id);
                channel.send(written).await
            };
            match sending.await {
                Err(error) if attempt < MAX_REPEATS && was_not_run(&error, &connection) => {
                    attempt += 1;
                }
                Err(CallError::Rpc(error)) if !listed && is_mismatch(method, &error) => {
                    listed = true;
                    list_because_of(error, self, PROBE_TIMEOUT).await?;
                }
                outcome => {
                    if outcome.is_ok() {
                        self.remember(method, params);
                    }
                    return outcome;
                }
            }
        }
    }

    /// Checks that another subscription to a resource can be remembered.
    fn has_room(&self, method: &str) -> Result<(), CallError> {
        let is_full = || self.state().session().resources.len() >= MAX_SUBSCRIPTIONS;
        if method == methods::RESOURCES_SUBSCRIBE && is_full() {
            let error = RequestError::TooManySubscriptions(MAX_SUBSCRIPTIONS);
            return Err(CallError::Rpc(error.to_error()));
        }
        Ok(())
    }

    /// Remembers the settings of a session, which are restored after a reconnection.
    fn remember(&self, method: &str, params: &RawJson) {
        let text = |name| params.as_raw().member(name)?.parse::<String>().ok();
        let mut session = self.state().session();
        match method {
            methods::LOGGING_SET_LEVEL => {
                session.log_level = text("level").map(|level| level.as_str().into());
            }
            methods::RESOURCES_SUBSCRIBE => session.resources.extend(text("uri")),
            methods::RESOURCES_UNSUBSCRIBE => {
                text("uri").map(|uri| session.resources.remove(&uri));
            }
            _ => {}
        }
    }

    /// Sends a notification as it is. It is lost if there is no connection.
    pub(crate) fn relay_notification(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        let connection = self.current().borrow().usable();
        let mut frame = Vec::new();
        write::notification(&mut frame, method, params.as_ref());
        let sent = connection.map(|connection| connection.channel.send_notification(frame));
        if !matches!(sent, Some(Ok(()))) {
            tracing::debug!(method, "a notification was lost: there is no connection");
        }
    }

    pub(crate) fn reconnect_policy(&self) -> Reconnect {
        self.state().config.reconnect.unwrap_or_default()
    }

    pub(crate) fn connections(&self) -> Connections {
        let state = self.current().clone();
        let seen = state.borrow().number;
        Connections { state, seen }
    }
}

pub(crate) struct Connections {
    state: watch::Receiver<ConnectionState>,
    /// The number of the newest connection that was seen.
    seen: u64,
}

impl Connections {
    /// Waits for a connection that is newer than the last one seen. Returns false after the client
    /// has been dropped.
    ///
    /// This method is cancel safe.
    pub(crate) async fn next(&mut self) -> bool {
        let seen = self.seen;
        let is_newer =
            |state: &ConnectionState| state.phase == Phase::Connected && state.number > seen;
        let newer = self.state.wait_for(is_newer).await;
        let newer = newer.map(|state| state.number);
        self.seen = *newer.as_ref().unwrap_or(&seen);
        newer.is_ok()
    }
}
