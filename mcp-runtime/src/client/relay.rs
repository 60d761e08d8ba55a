//! The client of a proxy, which passes messages on as they are.

use std::str::FromStr as _;
use std::sync::Mutex;

use mcp_types::jsonrpc::write;
use mcp_types::{Era, ErrorObject, OrderedMap, RawJson, RawJsonRef, Revision, meta_keys, methods};
use tokio::sync::watch;

use super::raw_call::{is_header_mismatch, list_because_of, was_not_run};
use super::supervisor::{ConnectionState, Phase};
use super::{Client, ClientBuilder};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::limits::{MAX_REPEATS, PROBE_TIMEOUT};
use crate::sync::lock;

type OnRequest = Box<
    dyn Fn(&str, Option<RawJsonRef<'_>>) -> BoxFuture<Result<RawJson, ErrorObject>> + Send + Sync,
>;

/// What makes a client the client of a proxy.
pub(crate) struct RelayConfig {
    /// The parameters of a caller's `initialize`, which contain its name and its capabilities.
    pub(crate) introduction: OrderedMap<RawJson>,
    /// Serves the requests of the server, except `ping`.
    pub(crate) on_request: OnRequest,
    pub(crate) on_notification: Box<dyn Fn(&str, Option<RawJsonRef<'_>>) + Send + Sync>,
    /// The last result of `initialize` or `server/discover`.
    pub(crate) opened: Mutex<Option<RawJson>>,
}

impl RelayConfig {
    /// The revision that the caller requests, if it is known.
    pub(super) fn revision(&self) -> Option<Revision> {
        let requested: String = self.introduction.get("protocolVersion")?.parse().ok()?;
        Revision::from_str(&requested).ok()
    }

    /// Returns the parameters of `initialize`.
    pub(super) fn initialize(&self, asked: Revision) -> RawJson {
        let mut params = self.introduction.clone();
        params.insert("protocolVersion".into(), RawJson::encode(asked.as_str()));
        RawJson::encode(&params)
    }

    pub(super) fn opened_with(&self, result: &RawJson) {
        *lock(&self.opened) = Some(result.clone());
    }
}

/// Returns the members of `_meta` of a stateless request, as JSON without braces, for a caller with
/// this introduction.
pub(crate) fn request_meta(introduction: &OrderedMap<RawJson>, revision: Revision) -> String {
    let version = revision.as_str();
    let mut meta = format!(r#""{}":"{version}""#, meta_keys::PROTOCOL_VERSION);
    for (key, name) in [
        (meta_keys::CLIENT_INFO, "clientInfo"),
        (meta_keys::CLIENT_CAPABILITIES, "capabilities"),
    ] {
        if let Some(value) = introduction.get(name) {
            meta.push_str(&format!(r#","{key}":{value}"#));
        }
    }
    meta
}

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
        let relay = self.state().config.relay.as_ref()?;
        lock(&relay.opened).clone()
    }

    /// The members of `_meta` of a request that belongs to no caller, as JSON without braces.
    pub(crate) fn own_meta(&self) -> String {
        let relay = self.state().config.relay.as_ref();
        relay.map_or_else(String::new, |relay| {
            request_meta(&relay.introduction, self.revision())
        })
    }

    /// Sends a request as it is, and waits for its result without a time limit. `meta`, JSON without
    /// braces, is added to the `_meta` of the parameters. `on_sent` gets the id of the request, which
    /// is also its progress token.
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
        meta: &str,
        wants_progress: bool,
        on_sent: impl Fn(i64) + Send,
    ) -> Result<RawJson, CallError> {
        let mut attempt = 0;
        let mut listed = false;
        loop {
            let connection = self.connection(true).await?;
            let meta = meta.to_owned();
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
                Err(CallError::Rpc(error)) if !listed && is_header_mismatch(method, &error) => {
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
