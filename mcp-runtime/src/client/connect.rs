//! Detects the era of a server and negotiates a revision.
//!
//! The differences between the eras end here: the result is always a [`Connection`], which holds
//! the members that each request carries in its `_meta`.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    Conform, DiscoverRequest, DiscoverResult, Era, ErrorObject, InitializeRequest,
    InitializeRequestParams, InitializeResult, InitializedNotification, RawJson, RawJsonRef,
    Request, RequestMetaObject, RequestParams, Revision, Revisions, ServerCapabilities,
    error_codes, meta_keys,
};
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::timeout;

use super::channel::{Channel, RequestKind, request_options};
use super::config::Config;
use super::error::ConnectError;
use super::relay_config::{RelayConfig, request_meta as relayed_meta};
use super::source::Source;
use super::state::ClientState;
use super::supervisor::{Connection, Open};
use crate::error::CallError;
use crate::limits::{FIRST_ANSWER_NOTICE, FOREVER};
use crate::protocol::{ClientLifecycle, Negotiated, Timeouts};

type NegotiationResult = Result<Arc<Negotiated<ServerCapabilities>>, ConnectError>;

enum Discovery {
    Found(Box<DiscoverResult>),
    /// The server supports these revisions, but not the revision of the request.
    Supported(Vec<String>),
    /// Only a server of the handshake era gives such an answer.
    Foreign(ConnectError),
}

/// Returns the revisions to try first for a server that was of the era `known` before.
///
/// For the handshake era, this skips the probe. A stateless server is probed like an unknown one: it
/// answers the probe anyway, and if it does not, a handshake can follow on the same connection.
pub(super) fn expected(config: &Config, known: Option<Era>) -> Revisions {
    let handshake = config.revisions.of(Era::Handshake);
    match known {
        Some(Era::Handshake) if handshake.newest_of(Era::Handshake).is_some() => handshake,
        _ => config.revisions,
    }
}

/// Connects for the first time. If the server's earlier era is known, tries the expected revisions
/// first. Then probes the server, and if the probe makes the server exit, connects again without a
/// probe.
pub(super) async fn connect_first(
    state: &ClientState,
    open: &Open,
) -> Result<Connection, ConnectError> {
    let config = &state.config;
    let expected = expected(config, config.last_era);
    if expected != config.revisions {
        match connect(state, open(), expected).await {
            Err(error) if error.is_the_servers() => {
                let error = error.brief();
                tracing::debug!(error, "the server has changed: probing it");
            }
            outcome => return outcome,
        }
    }
    let error = match connect(state, open(), config.revisions).await {
        Err(error) if error.is_end() => error,
        outcome => return outcome,
    };
    let has = |era| config.revisions.newest_of(era).is_some();
    if !has(Era::Stateless) || !has(Era::Handshake) {
        return Err(error);
    }
    tracing::debug!("the server closed the connection when it was probed");
    connect(state, open(), config.revisions.of(Era::Handshake)).await
}

/// Connects over the transport that `open` opens. Closes the transport again if the negotiation
/// fails or the client is closed meanwhile.
pub(super) async fn connect(
    state: &ClientState,
    open: impl Future<Output = io::Result<Channel>>,
    revisions: Revisions,
) -> Result<Connection, ConnectError> {
    let opened = state.unless_closing(open).await;
    let channel = opened.ok_or(ConnectError::Closed)?;
    let channel = channel.map_err(ConnectError::Open)?;
    let negotiated = negotiate(&channel, &state.config, revisions);
    let negotiated = state.unless_closing(noting_silence(&channel, negotiated));
    match negotiated.await.unwrap_or(Err(ConnectError::Closed)) {
        Ok(negotiated) => {
            let server = negotiated.peer_name();
            let revision = negotiated.revision;
            tracing::info!(server, %revision, "connected to a server");
            Ok(Connection {
                meta: request_meta(&channel, &state.config, revision),
                channel,
                negotiated,
            })
        }
        Err(error) => {
            channel.close().await;
            if channel.is_echo() {
                let program = channel.program().map(str::to_owned);
                return Err(ConnectError::Echo { program });
            }
            Err(match (error, channel.ended().await) {
                (ConnectError::Closed, Some(fault)) => ConnectError::Lost(fault),
                (error, _) => error,
            }
            .with_output(channel.program(), channel.no_message()))
        }
    }
}

/// Waits for a negotiation, and logs a warning if a child process takes long to answer.
async fn noting_silence(
    channel: &Channel,
    negotiation: impl Future<Output = NegotiationResult>,
) -> NegotiationResult {
    let mut negotiation = pin!(negotiation);
    if let Some(program) = channel.program() {
        if let Ok(outcome) = timeout(FIRST_ANSWER_NOTICE, &mut negotiation).await {
            return outcome;
        }
        crate::log::warn!(program, waited = ?FIRST_ANSWER_NOTICE, "the server does not answer yet");
    }
    negotiation.await
}

/// Negotiates one of `revisions`.
///
/// A client that speaks both eras sends `server/discover` first. It falls back to `initialize` if
/// the answer is one that only a server of the handshake era gives, or if there is no answer
/// (2026-07-28, "stdio", section Backward Compatibility).
async fn negotiate(channel: &Channel, config: &Config, revisions: Revisions) -> NegotiationResult {
    let negotiation = Negotiation { channel, config };
    let relayed = config.relay.as_ref().and_then(RelayConfig::revision);
    let relayed = relayed.filter(|revision| revisions.contains(*revision));
    let newest = |era| {
        let relayed = relayed.filter(|revision| revision.era() == era);
        relayed.or_else(|| revisions.newest_of(era))
    };
    match (newest(Era::Stateless), newest(Era::Handshake)) {
        (Some(stateless), Some(handshake)) => negotiation.probe(stateless, handshake).await,
        (Some(stateless), None) => {
            let discovery = negotiation
                .discover(stateless, config.timeouts, None)
                .await?;
            negotiation.choose(stateless, discovery).await
        }
        (None, Some(handshake)) => negotiation.initialize(handshake).await,
        (None, None) => Err(ConnectError::NoRevision),
    }
}

struct Negotiation<'a> {
    channel: &'a Channel,
    config: &'a Config,
}

impl Negotiation<'_> {
    /// Tries the stateless era, then the handshake.
    async fn probe(&self, stateless: Revision, handshake: Revision) -> NegotiationResult {
        // Discovery has no time limit of its own, because an answer that comes after the probe has
        // timed out is still useful if the handshake is refused.
        let (suspends, suspended) = watch::channel(false);
        let forever = Timeouts::within(FOREVER);
        let mut discovery = pin!(self.discover(stateless, forever, Some(suspends)));
        let answered = tokio::select! {
            biased;
            discovery = &mut discovery => Some(discovery),
            () = silence(self.config.probe_timeout, suspended) => None,
        };
        match answered {
            Some(Ok(Discovery::Foreign(error))) => {
                let error = error.brief();
                tracing::debug!(error, "`server/discover` failed: trying `initialize`");
                self.initialize(handshake).await
            }
            Some(discovery) => self.choose(stateless, discovery?).await,
            None => {
                tracing::debug!("`server/discover` was not answered: trying `initialize`");
                let refused = match self.initialize(handshake).await {
                    Err(error @ ConnectError::Refused(_)) => error,
                    outcome => return outcome,
                };
                // The server may be stateless after all, but slow to start.
                match timeout(self.config.probe_timeout, discovery).await {
                    Ok(Ok(found @ Discovery::Found(_))) => self.choose(stateless, found).await,
                    _ => Err(refused),
                }
            }
        }
    }

    /// Sends `server/discover`. `suspended` is set while the time limits of the request are
    /// suspended.
    async fn discover(
        &self,
        asked: Revision,
        timeouts: Timeouts,
        suspended: Option<watch::Sender<bool>>,
    ) -> Result<Discovery, ConnectError> {
        let params = RequestParams::new();
        let meta = request_meta(self.channel, self.config, asked);
        let kind = RequestKind::of::<DiscoverRequest>();
        let mut options = request_options(kind, timeouts);
        options.suspended = suspended;
        let written = self.channel.write(kind, &params, meta, options)?;
        let error = match self.channel.send(written).await {
            Ok(result) => {
                return Ok(match decode::<DiscoverRequest>(&result, asked) {
                    Ok(found) => {
                        self.opened_with(&result);
                        Discovery::Found(Box::new(found))
                    }
                    Err(error) => Discovery::Foreign(error.into()),
                });
            }
            Err(CallError::Rpc(error)) => error,
            // A server that knew the method would answer with a valid message.
            Err(error @ (CallError::Malformed { .. } | CallError::Http(_))) => {
                return Ok(Discovery::Foreign(error.into()));
            }
            Err(other) => return Err(other.into()),
        };
        match error.code {
            error_codes::UNSUPPORTED_PROTOCOL_VERSION => match supported_in(&error) {
                Some(supported) => Ok(Discovery::Supported(supported)),
                None => Err(ConnectError::Refused(error)),
            },
            error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY | error_codes::HEADER_MISMATCH => {
                Err(ConnectError::Refused(error))
            }
            _ => Ok(Discovery::Foreign(ConnectError::Refused(error))),
        }
    }

    /// Continues in the newest revision that both sides speak.
    async fn choose(&self, asked: Revision, discovery: Discovery) -> NegotiationResult {
        let (supported, found) = match discovery {
            Discovery::Found(found) => (found.supported_versions.clone(), Some(found)),
            Discovery::Supported(supported) => (supported, None),
            Discovery::Foreign(error) => return Err(self.explain(asked, error).await),
        };
        let chosen = self.newest_in(asked, supported)?;
        if chosen.era() == Era::Handshake {
            return self.initialize(chosen).await;
        }
        if let Some(found) = found {
            return self.adopt(chosen, *found);
        }
        // The server lists `chosen` as supported, so ask again, even if it has just refused the
        // same revision.
        let timeouts = self.config.timeouts;
        match self.discover(chosen, timeouts, None).await? {
            Discovery::Found(found) => self.adopt(chosen, *found),
            Discovery::Foreign(error) => Err(error),
            Discovery::Supported(_) => {
                let reason = format!("it offers revision {chosen}, but refuses to speak it");
                Err(CallError::unfit(DiscoverRequest::METHOD, reason).into())
            }
        }
    }

    fn adopt(&self, revision: Revision, found: DiscoverResult) -> NegotiationResult {
        let negotiated = Arc::new(Negotiated {
            revision,
            peer_info: found.meta.and_then(|meta| meta.server_info),
            peer_capabilities: found.capabilities,
            instructions: found.instructions,
        });
        let adopted = Arc::clone(&negotiated);
        let is_due = self.channel.with(|lifecycle| lifecycle.discovered(adopted));
        is_due.then_some(negotiated).ok_or(ConnectError::Closed)
    }

    /// Performs the handshake, offering `asked` (2025-11-25, "Lifecycle", section Initialization).
    /// If the server refuses `asked` and names other revisions, tries once more with the newest
    /// revision that both sides speak.
    async fn initialize(&self, asked: Revision) -> NegotiationResult {
        let error = match self.initialize_once(asked).await {
            Err(ConnectError::Refused(error)) => error,
            Err(error @ ConnectError::Http(_)) => return Err(self.explain(asked, error).await),
            outcome => return outcome,
        };
        let Some(supported) = supported_in(&error) else {
            let error = ConnectError::Refused(error);
            return Err(self.explain(asked, error).await);
        };
        let chosen = self.newest_in(asked, supported)?;
        if chosen == asked {
            return Err(ConnectError::Refused(error));
        }
        tracing::debug!(%asked, %chosen, %error, "`initialize` was refused: asking again");
        self.channel.with(ClientLifecycle::refused);
        if chosen.era() == Era::Handshake {
            return self.initialize_once(chosen).await;
        }
        let timeouts = self.config.timeouts;
        match self.discover(chosen, timeouts, None).await? {
            Discovery::Found(found) => self.adopt(chosen, *found),
            _ => Err(ConnectError::Refused(error)),
        }
    }

    /// Returns the error for a server that has refused `asked` with `refusal`. If this client accepts
    /// only the era of `asked`, asks the server in the other era which revisions it supports, so that
    /// the error can name them.
    async fn explain(&self, asked: Revision, refusal: ConnectError) -> ConnectError {
        let other = match asked.era() {
            Era::Stateless => Revision::LATEST_HANDSHAKE,
            Era::Handshake => Revision::LATEST,
        };
        let may_lack_it = match &refusal {
            // "Transports", section Backwards Compatibility (2025-11-25).
            ConnectError::Http(error) => matches!(error.status, 400 | 404 | 405),
            _ => true,
        };
        if !may_lack_it || self.config.revisions.newest_of(other.era()).is_some() {
            return refusal;
        }
        let limit = Timeouts::within(self.config.probe_timeout);
        let offered = match other.era() {
            Era::Handshake => {
                let result = self.offer(other, limit).await.ok();
                result.map(|result| vec![result.protocol_version])
            }
            Era::Stateless => {
                self.channel.with(ClientLifecycle::refused);
                match self.discover(other, limit, None).await {
                    Ok(Discovery::Found(found)) => Some(found.supported_versions),
                    Ok(Discovery::Supported(supported)) => Some(supported),
                    _ => None,
                }
            }
        };
        let found = offered.map(|offered| self.newest_in(asked, offered));
        found.and_then(Result::err).unwrap_or(refusal)
    }

    /// Sends `initialize`, offering `asked`.
    async fn offer(
        &self,
        asked: Revision,
        timeouts: Timeouts,
    ) -> Result<InitializeResult, ConnectError> {
        let params = match &self.config.relay {
            Some(relay) => relay.initialize(asked),
            None => {
                let mut params = InitializeRequestParams::new(
                    asked.as_str(),
                    self.channel.capabilities(asked),
                    self.config.info.clone(),
                );
                params.conform(asked);
                RawJson::encode(&params)
            }
        };
        let kind = RequestKind::of::<InitializeRequest>();
        let options = request_options(kind, timeouts);
        let written = self.channel.write(kind, &params, String::new(), options)?;
        let result = self.channel.send(written).await?;
        self.opened_with(&result);
        Ok(decode::<InitializeRequest>(&result, asked)?)
    }

    /// Keeps the first result of the server for the callers of a proxy.
    fn opened_with(&self, result: &RawJson) {
        if let Some(relay) = &self.config.relay {
            relay.opened_with(result);
        }
    }

    async fn initialize_once(&self, asked: Revision) -> NegotiationResult {
        let result = self.offer(asked, self.config.timeouts).await?;
        let revision = self.newest_in(asked, vec![result.protocol_version])?;
        if revision.era() != Era::Handshake {
            let reason = format!("it chooses revision {revision}, which has no handshake");
            return Err(CallError::unfit(InitializeRequest::METHOD, reason).into());
        }
        let negotiated = Arc::new(Negotiated {
            revision,
            peer_info: Some(result.server_info),
            peer_capabilities: result.capabilities,
            instructions: result.instructions,
        });
        let agreed = Arc::clone(&negotiated);
        if !self.channel.with(|lifecycle| lifecycle.initialized(agreed)) {
            return Err(ConnectError::Closed);
        }
        self.channel.notify::<InitializedNotification>()?;
        self.channel.with(ClientLifecycle::operate);
        Ok(negotiated)
    }

    /// Returns the newest revision that both the client and the server (`offered`) support.
    fn newest_in(&self, asked: Revision, offered: Vec<String>) -> Result<Revision, ConnectError> {
        let supported = self.config.revisions;
        let in_common = |revision: &Revision| offered.iter().any(|it| it == revision.as_str());
        let newest = supported.iter().rfind(in_common);
        newest.ok_or(ConnectError::Revision {
            asked,
            offered,
            supported,
        })
    }
}

/// Waits until `limit` has passed. The wait starts over after the request's time limits were
/// suspended, because a login may take minutes and does not mean that the server is silent.
async fn silence(limit: Duration, mut suspended: watch::Receiver<bool>) {
    while let Ok(changed) = timeout(limit, suspended.changed()).await {
        if changed.is_err() || suspended.wait_for(|suspended| !suspended).await.is_err() {
            // The request has ended, and the caller is about to receive its result.
            return std::future::pending().await;
        }
    }
}

/// Composes the members of `_meta` that each request in `revision` carries, as JSON without braces.
fn request_meta(channel: &Channel, config: &Config, revision: Revision) -> String {
    if revision.era() == Era::Handshake {
        return String::new();
    }
    if let Some(relay) = &config.relay {
        return relayed_meta(&relay.introduction, revision);
    }
    let mut meta = RequestMetaObject::new()
        .with_protocol_version(revision.as_str())
        .with_client_info(config.info.clone())
        .with_client_capabilities(channel.capabilities(revision));
    meta.conform(revision);
    let object = RawJson::encode(&meta);
    let object = object.get();
    object[1..object.len() - 1].to_owned()
}

fn supported_in(error: &ErrorObject) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        #[serde(alias = "supportedVersions")]
        supported: Vec<String>,
    }
    // Data of another shape does not list revisions.
    let data: Data = serde_json::from_str(error.data.as_ref()?.get()).ok()?;
    Some(data.supported)
}

/// Reads the first result of a server by the schema of the revision that the result names. If it
/// names no known revision, uses `asked`.
fn decode<R: Request>(result: &RawJson, asked: Revision) -> Result<R::Result, CallError> {
    let raw = result.as_raw();
    let text = |json: RawJsonRef<'_>| json.parse::<String>().ok();
    let named = raw.member("protocolVersion").and_then(text);
    let source = Source {
        method: R::METHOD,
        tool: None,
        revision: named.and_then(|named| named.parse().ok()).unwrap_or(asked),
        server: &|| {
            let of_meta = || raw.member("_meta")?.member(meta_keys::SERVER_INFO);
            let info = raw.member("serverInfo").or_else(of_meta);
            let name = info.and_then(|info| info.member("name"));
            name.and_then(text).unwrap_or_default()
        },
    };
    source.read::<R>(result)
}
