//! Negotiation of revision and capabilities by a server.

use std::sync::Arc;

use mcp_types::{
    Era, InitializeRequestParams, LoggingLevel, RawJsonRef, RequestMetaRef, Revision, Revisions,
};
use serde::Deserialize;

use super::Negotiated;
use super::decode::invalid_params;
use crate::error::RequestError;

impl Negotiated {
    /// Negotiates a handshake.
    pub(super) fn handshake(
        params: InitializeRequestParams,
        supported: Revisions,
    ) -> Result<Self, RequestError> {
        Ok(Self {
            revision: handshake(&params.protocol_version, supported)?,
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

/// The outcome of the last stateless request of a client, for clients that send the same version and
/// capabilities each time: the comparison costs a tenth of decoding them anew (3,600 instructions).
#[derive(Debug, Default)]
pub(crate) struct LastNegotiated(Option<(Source, Arc<Negotiated>)>);

/// The text that an outcome was decoded from.
#[derive(Debug)]
struct Source {
    version: Box<str>,
    capabilities: Box<str>,
    info: Option<Box<str>>,
}

impl LastNegotiated {
    /// Negotiates by what `meta` carries.
    pub(super) fn stateless(
        &mut self,
        meta: &RequestMetaRef<'_>,
        supported: Revisions,
    ) -> Result<Arc<Negotiated>, RequestError> {
        if let Some(level) = meta.log_level {
            check_level(level)?;
        }
        if let Some((source, negotiated)) = &self.0
            && source.is_of(meta)
        {
            return Ok(Arc::clone(negotiated));
        }
        let negotiated = Arc::new(Negotiated::stateless(meta, supported)?);
        self.0 = Source::of(meta).map(|source| (source, Arc::clone(&negotiated)));
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

/// The revision that a server answers `initialize` with: the one asked for where it is supported,
/// else the newest handshake revision that is (2025-11-25, "Lifecycle", section Version
/// Negotiation).
///
/// # Errors
///
/// When what was asked for is not a date, or no handshake revision is supported.
fn handshake(requested: &str, supported: Revisions) -> Result<Revision, RequestError> {
    let unsupported = || RequestError::UnsupportedHandshake {
        requested: requested.to_owned(),
        supported,
    };
    if !is_date(requested) {
        return Err(unsupported());
    }
    let asked = requested.parse::<Revision>().ok();
    asked
        .filter(|revision| supported.contains(*revision) && revision.era() == Era::Handshake)
        .or_else(|| supported.newest_of(Era::Handshake))
        .ok_or_else(unsupported)
}

/// Whether `text` has the form `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let form = "dddd-dd-dd";
    text.len() == form.len()
        && text
            .bytes()
            .zip(form.bytes())
            .all(|(byte, form)| match form {
                b'd' => byte.is_ascii_digit(),
                _ => byte == form,
            })
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

    #[test]
    fn what_is_supported_is_agreed_on() {
        for revision in Revision::ALL
            .into_iter()
            .filter(|r| r.era() == Era::Handshake)
        {
            assert_eq!(handshake(revision.as_str(), Revisions::ALL), Ok(revision));
        }
    }

    #[test]
    fn another_date_gets_the_newest_handshake_revision() {
        for requested in ["2099-01-01", "2026-07-28", "2020-01-01"] {
            let agreed = handshake(requested, Revisions::ALL);
            assert_eq!(agreed, Ok(Revision::LATEST_HANDSHAKE), "{requested}");
        }
        let old = Revisions::ALL.up_to(Revision::V2025_03_26);
        assert_eq!(handshake("2025-11-25", old), Ok(Revision::V2025_03_26));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for requested in ["1.0.0", "", "2025-11-2x", "2025-11-251"] {
            assert!(handshake(requested, Revisions::ALL).is_err(), "{requested}");
        }
        let stateless = Revisions::only(Revision::V2026_07_28);
        assert!(handshake("2025-11-25", stateless).is_err());
    }
}
