//! Finding out which era a server belongs to, and agreeing with it.
//!
//! The one place of the client that tells the eras apart: what it finds out travels on as an
//! [`Negotiated`] and as the members that each request carries in its `_meta`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use mcp_types::{
    Conform, DiscoverRequest, DiscoverResult, Era, ErrorObject, InitializeRequest,
    InitializeRequestParams, InitializeResult, InitializedNotification, RawJson, Request,
    RequestMetaObject, RequestParams, Revision, Revisions, ServerCapabilities, error_codes,
};
use serde::Deserialize;

use super::config::Config;
use super::error::ConnectError;
use super::link::{Link, Options};
use crate::error::CallError;
use crate::limits::FOREVER;
use crate::protocol::{ClientLifecycle, Negotiated, Timeouts};

/// What was agreed on, and what each request has to carry because of it.
#[derive(Debug)]
pub(super) struct Agreed {
    pub(super) negotiated: Arc<Negotiated<ServerCapabilities>>,
    /// Members of `_meta`, without braces; empty where requests carry nothing.
    pub(super) meta: String,
}

/// What a server answers to `server/discover`.
enum Discovery {
    /// It is stateless, and says what it offers.
    Found(Box<DiscoverResult>),
    /// It speaks other revisions than the one it was asked in.
    Offers(Vec<String>),
    /// Only a server of the handshake era answers like this.
    Foreign(ConnectError),
}

/// The revisions to begin with, where the server spoke the era `known` the last time. Only a handshake
/// is begun with at once; a stateless server is probed as any other is, as the probe is what it
/// answers, and falls back to a handshake on the same connection.
pub(super) fn expected(config: &Config, known: Option<Era>) -> Revisions {
    let handshake = config.revisions.of(Era::Handshake);
    match known {
        Some(Era::Handshake) if handshake.newest_of(Era::Handshake).is_some() => handshake,
        _ => config.revisions,
    }
}

/// Agrees with the server behind `link`.
///
/// A client that speaks both eras asks for `server/discover` first, and falls back to
/// `initialize` on any answer that only a server of the handshake era gives, or on silence
/// (2026-07-28, "stdio", section Backward Compatibility).
pub(super) async fn agree(
    link: &Link,
    config: &Config,
    revisions: Revisions,
) -> Result<Agreed, ConnectError> {
    let newest = |era| revisions.newest_of(era);
    match (newest(Era::Stateless), newest(Era::Handshake)) {
        (Some(stateless), Some(handshake)) => probe(link, config, stateless, handshake).await,
        (Some(stateless), None) => {
            let discovery = discover(link, config, stateless, config.timeouts).await?;
            settle(link, config, stateless, discovery).await
        }
        (None, Some(handshake)) => initialize(link, config, handshake).await,
        (None, None) => Err(ConnectError::NoRevision),
    }
}

/// The revisions that are left when a server does not survive to be asked which it speaks; `None`
/// where it was not asked.
pub(super) fn without_probe(revisions: Revisions) -> Option<Revisions> {
    let eras = [Era::Stateless, Era::Handshake];
    let probed = eras.iter().all(|era| revisions.newest_of(*era).is_some());
    probed.then(|| revisions.of(Era::Handshake))
}

/// Tries the stateless era, and the handshake where that leads nowhere.
async fn probe(
    link: &Link,
    config: &Config,
    stateless: Revision,
    handshake: Revision,
) -> Result<Agreed, ConnectError> {
    // Limited by the time of the probe instead, and of whatever follows it: a late answer counts.
    let unlimited = Timeouts {
        idle: FOREVER,
        total: FOREVER,
        reset_on_progress: false,
    };
    let mut discovery = pin!(discover(link, config, stateless, unlimited));
    match tokio::time::timeout(config.probe_timeout, &mut discovery).await {
        Ok(Ok(Discovery::Foreign(fault))) => {
            tracing::debug!(%fault, "`server/discover` failed: trying `initialize`");
            initialize(link, config, handshake).await
        }
        Ok(discovery) => settle(link, config, stateless, discovery?).await,
        Err(_silence) => {
            tracing::debug!("`server/discover` was not answered: trying `initialize`");
            match initialize(link, config, handshake).await {
                Err(ConnectError::Refused(error)) => {
                    wait_for_late(link, config, stateless, discovery, error).await
                }
                settled => settled,
            }
        }
    }
}

/// A server that refuses the handshake with `error` may be a stateless one that was slow to
/// start: the answer to the probe is still welcome.
async fn wait_for_late(
    link: &Link,
    config: &Config,
    asked: Revision,
    discovery: impl Future<Output = Result<Discovery, ConnectError>>,
    error: ErrorObject,
) -> Result<Agreed, ConnectError> {
    match tokio::time::timeout(config.probe_timeout, discovery).await {
        Ok(Ok(found @ Discovery::Found(_))) => settle(link, config, asked, found).await,
        _ => Err(ConnectError::Refused(error)),
    }
}

/// Asks a stateless server what it offers.
async fn discover(
    link: &Link,
    config: &Config,
    asked: Revision,
    timeouts: Timeouts,
) -> Result<Discovery, ConnectError> {
    let meta = request_meta(config, asked)?;
    // A server of the handshake era may not bear a cancellation before `initialize`.
    let options = Options::silent(timeouts);
    let params = RequestParams::new();
    let error = match link
        .request::<DiscoverRequest>(&params, &meta, options)
        .await
    {
        Ok(result) => {
            let found = decode::<DiscoverRequest>(&result);
            return Ok(found.map_or_else(Discovery::Foreign, |found| {
                Discovery::Found(Box::new(found))
            }));
        }
        Err(CallError::Rpc(error)) => error,
        // A server that knows the method would answer it in good form.
        Err(error @ CallError::Malformed { .. }) => return Ok(Discovery::Foreign(error.into())),
        Err(CallError::Http(error)) => return Ok(Discovery::Foreign(ConnectError::Http(error))),
        Err(other) => return Err(other.into()),
    };
    match error.code {
        error_codes::UNSUPPORTED_PROTOCOL_VERSION => match offered_in(&error) {
            Some(offered) => Ok(Discovery::Offers(offered)),
            None => Err(ConnectError::Refused(error)),
        },
        error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY | error_codes::HEADER_MISMATCH => {
            Err(ConnectError::Refused(error))
        }
        _ => Ok(Discovery::Foreign(ConnectError::Refused(error))),
    }
}

/// Chooses a revision that both sides speak, and goes on in the way that it asks for.
async fn settle(
    link: &Link,
    config: &Config,
    asked: Revision,
    discovery: Discovery,
) -> Result<Agreed, ConnectError> {
    let offered = match &discovery {
        Discovery::Found(found) => &found.supported_versions,
        Discovery::Offers(offered) => offered,
        Discovery::Foreign(_) => &Vec::new(),
    };
    let in_common = |revision: &Revision| offered.iter().any(|name| name == revision.as_str());
    let chosen = config.revisions.iter().rfind(in_common);
    let none = none_in_common(config, asked, offered.clone());
    match (chosen.map(|chosen| (chosen, chosen.era())), discovery) {
        (_, Discovery::Foreign(error)) => Err(error),
        (Some((chosen, Era::Stateless)), Discovery::Found(found)) => {
            adopt(link, config, chosen, *found)
        }
        // Even where it is the version that was asked in: the server says that it has it.
        (Some((chosen, Era::Stateless)), Discovery::Offers(_)) => {
            match discover(link, config, chosen, config.timeouts).await? {
                Discovery::Found(found) => adopt(link, config, chosen, *found),
                Discovery::Foreign(error) => Err(error),
                Discovery::Offers(_) => Err(ConnectError::Result {
                    method: DiscoverRequest::METHOD.to_owned(),
                    reason: format!("it offers revision {chosen}, and refuses to speak it"),
                }),
            }
        }
        (Some((chosen, Era::Handshake)), _) => initialize(link, config, chosen).await,
        _ => Err(none),
    }
}

/// Goes on without a handshake.
fn adopt(
    link: &Link,
    config: &Config,
    revision: Revision,
    found: DiscoverResult,
) -> Result<Agreed, ConnectError> {
    let negotiated = Arc::new(Negotiated {
        revision,
        peer_info: found.meta.and_then(|meta| meta.server_info),
        peer_capabilities: found.capabilities,
        instructions: found.instructions,
    });
    let session = link.session();
    if !session.with(|lifecycle| lifecycle.discovered(Arc::clone(&negotiated))) {
        return Err(ConnectError::Closed);
    }
    Ok(Agreed {
        negotiated,
        meta: request_meta(config, revision)?,
    })
}

/// Shakes hands, offering `asked` (2025-11-25, "Lifecycle", section Initialization). A server that
/// refuses it and names revisions is asked once more, in the newest that both sides speak.
async fn initialize(link: &Link, config: &Config, asked: Revision) -> Result<Agreed, ConnectError> {
    let error = match initialize_in(link, config, asked).await? {
        Ok(agreed) => return Ok(agreed),
        Err(error) => error,
    };
    let Some(offered) = offered_in(&error) else {
        return Err(ConnectError::Refused(error));
    };
    let in_common = |revision: &Revision| offered.iter().any(|name| name == revision.as_str());
    let chosen = match config.revisions.iter().rfind(in_common) {
        None => return Err(none_in_common(config, asked, offered)),
        Some(chosen) if chosen == asked => return Err(ConnectError::Refused(error)),
        Some(chosen) => chosen,
    };
    tracing::debug!(%asked, %chosen, %error, "`initialize` was refused: trying what is offered");
    link.session().with(ClientLifecycle::refused);
    if chosen.era() == Era::Stateless {
        return match discover(link, config, chosen, config.timeouts).await? {
            Discovery::Found(found) => adopt(link, config, chosen, *found),
            _ => Err(ConnectError::Refused(error)),
        };
    }
    initialize_in(link, config, chosen)
        .await?
        .map_err(ConnectError::Refused)
}

/// Asks for a handshake once; `Ok(Err(…))` is the refusal of the server.
async fn initialize_in(
    link: &Link,
    config: &Config,
    asked: Revision,
) -> Result<Result<Agreed, ErrorObject>, ConnectError> {
    let mut params = InitializeRequestParams::new(
        asked.as_str(),
        config.handlers.capabilities(asked),
        config.info.clone(),
    );
    params.conform(asked);
    let options = Options::silent(config.timeouts);
    let answer = link
        .request::<InitializeRequest>(&params, "", options)
        .await;
    let result = match answer {
        Ok(result) => decode::<InitializeRequest>(&result)?,
        Err(CallError::Rpc(error)) => return Ok(Err(error)),
        Err(other) => return Err(other.into()),
    };
    let answered = result.protocol_version.parse::<Revision>().ok();
    match answered.filter(|revision| config.revisions.contains(*revision)) {
        Some(revision) if revision.era() == Era::Handshake => {
            operate(link, revision, result).map(Ok)
        }
        Some(revision) => Err(ConnectError::Result {
            method: InitializeRequest::METHOD.to_owned(),
            reason: format!("it chooses revision {revision}, which has no handshake"),
        }),
        None => Err(none_in_common(config, asked, vec![result.protocol_version])),
    }
}

/// The error where nothing of what the server offers is spoken here.
fn none_in_common(config: &Config, asked: Revision, offered: Vec<String>) -> ConnectError {
    ConnectError::Revision {
        asked,
        offered,
        supported: config.revisions,
    }
}

/// Says that the handshake is over.
fn operate(
    link: &Link,
    revision: Revision,
    result: InitializeResult,
) -> Result<Agreed, ConnectError> {
    let negotiated = Arc::new(Negotiated {
        revision,
        peer_info: Some(result.server_info),
        peer_capabilities: result.capabilities,
        instructions: result.instructions,
    });
    let session = link.session();
    if !session.with(|lifecycle| lifecycle.initialized(Arc::clone(&negotiated))) {
        return Err(ConnectError::Closed);
    }
    link.peer().notify::<InitializedNotification>(None)?;
    session.with(ClientLifecycle::operate);
    Ok(Agreed {
        negotiated,
        meta: String::new(),
    })
}

/// The members of `_meta` that each stateless request carries.
fn request_meta(config: &Config, revision: Revision) -> Result<String, ConnectError> {
    let mut meta = RequestMetaObject::new()
        .with_protocol_version(revision.as_str())
        .with_client_info(config.info.clone())
        .with_client_capabilities(config.handlers.capabilities(revision));
    meta.conform(revision);
    let object = RawJson::encode(&meta);
    let object = object.get();
    Ok(object[1..object.len() - 1].to_owned())
}

/// The revisions that an error names as those of the server.
fn offered_in(error: &ErrorObject) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Data {
        #[serde(alias = "supportedVersions")]
        supported: Vec<String>,
    }
    // Details of another form say nothing about revisions.
    let data: Data = serde_json::from_str(error.data.as_ref()?.get()).ok()?;
    Some(data.supported)
}

fn decode<R: Request>(result: &RawJson) -> Result<R::Result, ConnectError> {
    result.parse().map_err(|fault| ConnectError::Result {
        method: R::METHOD.to_owned(),
        reason: fault.to_string(),
    })
}
