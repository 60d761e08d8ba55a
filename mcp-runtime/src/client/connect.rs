//! Detection of a server's era, and negotiation with it.
//!
//! The only place of the client that distinguishes the eras: the result is a [`Connection`], with the
//! members that each request carries in its `_meta`.

use std::pin::pin;
use std::sync::Arc;

use mcp_types::{
    Conform, DiscoverRequest, DiscoverResult, Era, ErrorObject, InitializeRequest,
    InitializeRequestParams, InitializedNotification, RawJson, Request, RequestMetaObject,
    RequestParams, Revision, Revisions, ServerCapabilities, error_codes,
};
use serde::Deserialize;

use super::channel::{Channel, request_options};
use super::config::{Config, within};
use super::connection::Connection;
use super::error::ConnectError;
use crate::error::CallError;
use crate::limits::FOREVER;
use crate::protocol::{ClientLifecycle, Negotiated, Timeouts};

type Outcome = Result<Arc<Negotiated<ServerCapabilities>>, ConnectError>;

/// The answer of a server to `server/discover`.
enum Discovery {
    /// The server is stateless.
    Found(Box<DiscoverResult>),
    /// The server supports these revisions, and not the one that it was asked in.
    Supported(Vec<String>),
    /// Only a server of the handshake era answers like this.
    Foreign(ConnectError),
}

/// The revisions to begin with, where the server was of the era `known` before. Only a handshake
/// is begun with at once. A stateless server is probed like any other: it answers the probe, and a
/// handshake on the same connection is the fallback.
pub(super) fn expected(config: &Config, known: Option<Era>) -> Revisions {
    let handshake = config.revisions.of(Era::Handshake);
    match known {
        Some(Era::Handshake) if handshake.newest_of(Era::Handshake).is_some() => handshake,
        _ => config.revisions,
    }
}

/// The revisions that are left when a server does not survive the probe; `None` where it was not
/// probed.
pub(super) fn without_probe(revisions: Revisions) -> Option<Revisions> {
    let eras = [Era::Stateless, Era::Handshake];
    let probed = eras.iter().all(|era| revisions.newest_of(*era).is_some());
    probed.then(|| revisions.of(Era::Handshake))
}

/// Negotiates over `channel`, which is closed where that fails.
pub(super) async fn connect(
    channel: Channel,
    config: &Config,
    revisions: Revisions,
) -> Result<Connection, ConnectError> {
    let outcome = negotiate(&channel, config, revisions).await;
    finish(channel, config, outcome).await
}

/// The connection that a negotiation has led to. Closes the channel of one that has failed.
pub(super) async fn finish(
    channel: Channel,
    config: &Config,
    outcome: Outcome,
) -> Result<Connection, ConnectError> {
    match outcome {
        Ok(negotiated) => Ok(Connection {
            channel,
            meta: request_meta(config, negotiated.revision),
            negotiated,
        }),
        Err(error) => {
            channel.close().await;
            Err(error.explained(channel.ended().await))
        }
    }
}

/// Negotiates one of `revisions`.
///
/// A client that speaks both eras asks for `server/discover` first, and falls back to
/// `initialize` on any answer that only a server of the handshake era gives, or on silence
/// (2026-07-28, "stdio", section Backward Compatibility).
pub(super) async fn negotiate(channel: &Channel, config: &Config, revisions: Revisions) -> Outcome {
    let negotiation = Negotiation { channel, config };
    let newest = |era| revisions.newest_of(era);
    match (newest(Era::Stateless), newest(Era::Handshake)) {
        (Some(stateless), Some(handshake)) => negotiation.probe(stateless, handshake).await,
        (Some(stateless), None) => {
            let discovery = negotiation.discover(stateless, config.timeouts).await?;
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
    async fn probe(&self, stateless: Revision, handshake: Revision) -> Outcome {
        // Limited by the time of the probe and of the handshake: a late answer counts.
        let mut discovery = pin!(self.discover(stateless, within(FOREVER)));
        match tokio::time::timeout(self.config.probe_timeout, &mut discovery).await {
            Ok(Ok(Discovery::Foreign(error))) => {
                tracing::debug!(%error, "`server/discover` failed: trying `initialize`");
                self.initialize(handshake).await
            }
            Ok(discovery) => self.choose(stateless, discovery?).await,
            Err(_elapsed) => {
                tracing::debug!("`server/discover` was not answered: trying `initialize`");
                let refused = match self.initialize(handshake).await {
                    Err(error @ ConnectError::Refused(_)) => error,
                    outcome => return outcome,
                };
                // It may be a stateless one that was slow to start.
                match tokio::time::timeout(self.config.probe_timeout, discovery).await {
                    Ok(Ok(found @ Discovery::Found(_))) => self.choose(stateless, found).await,
                    _ => Err(refused),
                }
            }
        }
    }

    /// Sends `server/discover`.
    async fn discover(
        &self,
        asked: Revision,
        timeouts: Timeouts,
    ) -> Result<Discovery, ConnectError> {
        let meta = request_meta(self.config, asked);
        // A server of the handshake era may not bear a cancellation before `initialize`.
        let mut options = request_options::<DiscoverRequest>(timeouts);
        options.cancellable = false;
        let params = RequestParams::new();
        let sent = self
            .channel
            .request::<DiscoverRequest>(&params, &meta, options);
        let error = match sent.await {
            Ok(result) => {
                return Ok(match decode::<DiscoverRequest>(&result) {
                    Ok(found) => Discovery::Found(Box::new(found)),
                    Err(error) => Discovery::Foreign(error),
                });
            }
            Err(CallError::Rpc(error)) => error,
            // A server that knows the method would answer it in good form.
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

    /// Goes on in the newest revision that both sides speak.
    async fn choose(&self, asked: Revision, discovery: Discovery) -> Outcome {
        let supported = match &discovery {
            Discovery::Found(found) => &found.supported_versions,
            Discovery::Supported(supported) => supported,
            Discovery::Foreign(_) => &Vec::new(),
        };
        let chosen = self.newest_in(supported);
        let none = self.none_in_common(asked, supported.clone());
        match (chosen.map(|chosen| (chosen, chosen.era())), discovery) {
            (_, Discovery::Foreign(error)) => Err(error),
            (Some((chosen, Era::Stateless)), Discovery::Found(found)) => self.adopt(chosen, *found),
            // Also asked again in the revision that was asked in: the server has it.
            (Some((chosen, Era::Stateless)), Discovery::Supported(_)) => {
                match self.discover(chosen, self.config.timeouts).await? {
                    Discovery::Found(found) => self.adopt(chosen, *found),
                    Discovery::Foreign(error) => Err(error),
                    Discovery::Supported(_) => Err(ConnectError::Result {
                        method: DiscoverRequest::METHOD.to_owned(),
                        reason: format!("it offers revision {chosen}, and refuses to speak it"),
                    }),
                }
            }
            (Some((chosen, Era::Handshake)), _) => self.initialize(chosen).await,
            _ => Err(none),
        }
    }

    /// Operates without a handshake.
    fn adopt(&self, revision: Revision, found: DiscoverResult) -> Outcome {
        let negotiated = Arc::new(Negotiated {
            revision,
            peer_info: found.meta.and_then(|meta| meta.server_info),
            peer_capabilities: found.capabilities,
            instructions: found.instructions,
        });
        let adopted = Arc::clone(&negotiated);
        match self.channel.with(|lifecycle| lifecycle.discovered(adopted)) {
            true => Ok(negotiated),
            false => Err(ConnectError::Closed),
        }
    }

    /// Shakes hands, offering `asked` (2025-11-25, "Lifecycle", section Initialization). A server
    /// that refuses it and names revisions is asked once more, in the newest that both sides speak.
    async fn initialize(&self, asked: Revision) -> Outcome {
        let error = match self.initialize_once(asked).await {
            Err(ConnectError::Refused(error)) => error,
            outcome => return outcome,
        };
        let Some(supported) = supported_in(&error) else {
            return Err(ConnectError::Refused(error));
        };
        let chosen = match self.newest_in(&supported) {
            None => return Err(self.none_in_common(asked, supported)),
            Some(chosen) if chosen == asked => return Err(ConnectError::Refused(error)),
            Some(chosen) => chosen,
        };
        tracing::debug!(%asked, %chosen, %error, "`initialize` was refused: asking again");
        self.channel.with(ClientLifecycle::refused);
        if chosen.era() == Era::Handshake {
            return self.initialize_once(chosen).await;
        }
        match self.discover(chosen, self.config.timeouts).await? {
            Discovery::Found(found) => self.adopt(chosen, *found),
            _ => Err(ConnectError::Refused(error)),
        }
    }

    async fn initialize_once(&self, asked: Revision) -> Outcome {
        let mut params = InitializeRequestParams::new(
            asked.as_str(),
            self.config.input.capabilities(asked),
            self.config.info.clone(),
        );
        params.conform(asked);
        let mut options = request_options::<InitializeRequest>(self.config.timeouts);
        options.cancellable = false;
        let sent = self
            .channel
            .request::<InitializeRequest>(&params, "", options);
        let result = decode::<InitializeRequest>(&sent.await?)?;
        let answered = result.protocol_version.parse::<Revision>().ok();
        let Some(revision) = answered.filter(|it| self.config.revisions.contains(*it)) else {
            return Err(self.none_in_common(asked, vec![result.protocol_version]));
        };
        if revision.era() != Era::Handshake {
            return Err(ConnectError::Result {
                method: InitializeRequest::METHOD.to_owned(),
                reason: format!("it chooses revision {revision}, which has no handshake"),
            });
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

    /// The newest revision of this client among those that a server supports.
    fn newest_in(&self, supported: &[String]) -> Option<Revision> {
        let in_common = |revision: &Revision| supported.iter().any(|it| it == revision.as_str());
        self.config.revisions.iter().rfind(in_common)
    }

    fn none_in_common(&self, asked: Revision, offered: Vec<String>) -> ConnectError {
        ConnectError::Revision {
            asked,
            offered,
            supported: self.config.revisions,
        }
    }
}

/// The members of `_meta` that each request in `revision` carries, as JSON without braces.
fn request_meta(config: &Config, revision: Revision) -> String {
    if revision.era() == Era::Handshake {
        return String::new();
    }
    let mut meta = RequestMetaObject::new()
        .with_protocol_version(revision.as_str())
        .with_client_info(config.info.clone())
        .with_client_capabilities(config.input.capabilities(revision));
    meta.conform(revision);
    let object = RawJson::encode(&meta);
    let object = object.get();
    object[1..object.len() - 1].to_owned()
}

/// The revisions that an error names as supported by the server.
fn supported_in(error: &ErrorObject) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        #[serde(alias = "supportedVersions")]
        supported: Vec<String>,
    }
    // Other data are not about revisions.
    let data: Data = serde_json::from_str(error.data.as_ref()?.get()).ok()?;
    Some(data.supported)
}

fn decode<R: Request>(result: &RawJson) -> Result<R::Result, ConnectError> {
    result.parse().map_err(|error| ConnectError::Result {
        method: R::METHOD.to_owned(),
        reason: error.to_string(),
    })
}
