//! Negotiation as a server does it.

use std::sync::Arc;

use mcp_types::{
    Era, InitializeRequestParams, LoggingLevel, RawJsonRef, RequestMetaRef, Revision, Revisions,
};
use serde::Deserialize;

use super::decode::invalid_params;
use super::requirement::Requirement;
use super::{Negotiated, negotiate};
use crate::error::RequestError;

impl Negotiated {
    /// Whether each result carries the name of the server, because no handshake did.
    pub(crate) fn results_name_server(&self) -> bool {
        self.revision.era() == Era::Stateless
    }

    /// Whether what a client says holds until the end of the conversation, not only for the
    /// request that it is said in.
    pub(crate) fn outlive_requests(&self) -> bool {
        self.revision.era() == Era::Handshake
    }

    /// Negotiates a handshake.
    pub(super) fn handshake(
        params: InitializeRequestParams,
        supported: Revisions,
    ) -> Result<Self, RequestError> {
        Ok(Self {
            revision: negotiate::handshake(&params.protocol_version, supported)?,
            peer_info: Some(params.client_info),
            peer_capabilities: params.capabilities,
            instructions: None,
        })
    }

    /// Negotiates by what a stateless request carries (2026-07-28, "Overview", section `_meta`).
    pub(super) fn stateless(
        meta: &RequestMetaRef<'_>,
        supported: Revisions,
    ) -> Result<Self, RequestError> {
        let requested: String = required(meta.protocol_version, "protocolVersion")?;
        let revision = requested
            .parse::<Revision>()
            .ok()
            .filter(|revision| supported.contains(*revision) && revision.era() == Era::Stateless)
            .ok_or(RequestError::UnsupportedVersion {
                requested,
                supported,
            })?;
        Ok(Self {
            revision,
            peer_capabilities: required(meta.client_capabilities, "clientCapabilities")?,
            instructions: None,
            peer_info: meta
                .client_info
                .map(|info| decoded(info, "clientInfo"))
                .transpose()?,
        })
    }
}

/// The outcome of the last stateless request, for clients that send the same ones each time: the
/// comparison costs a tenth of decoding them anew (3,600 instructions).
#[derive(Debug, Default)]
pub(crate) struct LastNegotiated {
    last: Option<(Source, Arc<Negotiated>)>,
    requirement: Requirement,
    /// The last outcome that met the requirement.
    met: Option<Arc<Negotiated>>,
}

/// The text that an outcome was decoded from.
#[derive(Debug)]
struct Source {
    version: Box<str>,
    capabilities: Box<str>,
    info: Option<Box<str>>,
}

impl LastNegotiated {
    /// Nothing negotiated yet, with clients that have to meet `requirement`.
    pub(crate) fn new(requirement: Requirement) -> Self {
        Self {
            requirement,
            ..Self::default()
        }
    }

    /// Checks that what was negotiated meets the requirement.
    pub(super) fn check(&mut self, negotiated: &Arc<Negotiated>) -> Result<(), RequestError> {
        let met = self
            .met
            .as_ref()
            .is_some_and(|met| Arc::ptr_eq(met, negotiated));
        if met || !self.requirement.is_set() {
            return Ok(());
        }
        self.requirement.check(negotiated)?;
        self.met = Some(Arc::clone(negotiated));
        Ok(())
    }

    /// Negotiates by what `meta` carries.
    pub(super) fn stateless(
        &mut self,
        meta: &RequestMetaRef<'_>,
        supported: Revisions,
    ) -> Result<Arc<Negotiated>, RequestError> {
        if let Some(level) = meta.log_level {
            check_level(level)?;
        }
        if let Some((source, negotiated)) = &self.last
            && source.is_of(meta)
        {
            return Ok(Arc::clone(negotiated));
        }
        let negotiated = Arc::new(Negotiated::stateless(meta, supported)?);
        self.last = Source::of(meta).map(|source| (source, Arc::clone(&negotiated)));
        Ok(negotiated)
    }
}

impl Source {
    fn of(meta: &RequestMetaRef<'_>) -> Option<Self> {
        Some(Self {
            version: meta.protocol_version?.get().into(),
            capabilities: meta.client_capabilities?.get().into(),
            info: meta.client_info.map(|info| info.get().into()),
        })
    }

    fn is_of(&self, meta: &RequestMetaRef<'_>) -> bool {
        meta.protocol_version.map(RawJsonRef::get) == Some(&*self.version)
            && meta.client_capabilities.map(RawJsonRef::get) == Some(&*self.capabilities)
            && meta.client_info.map(RawJsonRef::get) == self.info.as_deref()
    }
}

/// Refuses a level that is none (2026-07-28, "Logging", section Error Handling).
fn check_level(raw: RawJsonRef<'_>) -> Result<(), RequestError> {
    match decoded(raw, "logLevel")? {
        LoggingLevel::Unknown(level) => Err(RequestError::InvalidParams {
            path: path("logLevel"),
            reason: format!("`{level}` is no log level"),
        }),
        _ => Ok(()),
    }
}

fn required<'a, T: Deserialize<'a>>(
    raw: Option<RawJsonRef<'a>>,
    key: &str,
) -> Result<T, RequestError> {
    let raw = raw.ok_or_else(|| RequestError::InvalidParams {
        path: path(key),
        reason: "missing".to_owned(),
    })?;
    decoded(raw, key)
}

fn decoded<'a, T: Deserialize<'a>>(raw: RawJsonRef<'a>, key: &str) -> Result<T, RequestError> {
    let decoded = raw.parse();
    decoded.map_err(|error| invalid_params(&path(key), raw.get(), &error))
}

fn path(key: &str) -> String {
    format!("params._meta.io.modelcontextprotocol/{key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiated(last: &mut LastNegotiated, name: &str) -> Result<Arc<Negotiated>, RequestError> {
        let meta = format!(
            r#"{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientInfo":{{"name":{name},"version":"1"}},
                "io.modelcontextprotocol/clientCapabilities":{{}}}}"#
        );
        last.stateless(&serde_json::from_str(&meta).unwrap(), Revisions::ALL)
    }

    #[test]
    fn each_request_is_served_under_its_own_terms() {
        let mut last = LastNegotiated::default();
        let first = negotiated(&mut last, "\"a\"").unwrap();
        let same = negotiated(&mut last, "\"a\"").unwrap();
        assert!(Arc::ptr_eq(&first, &same));
        let other = negotiated(&mut last, "\"b\"").unwrap();
        assert_eq!(other.peer_info.as_ref().unwrap().name, "b");
        assert!(negotiated(&mut last, "7").is_err());
        let again = negotiated(&mut last, "\"b\"").unwrap();
        assert!(Arc::ptr_eq(&other, &again));
    }
}
