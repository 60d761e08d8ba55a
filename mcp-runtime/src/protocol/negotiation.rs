//! Negotiates the revision and the capabilities.

use std::sync::Arc;

use mcp_types::jsonrpc::code;
use mcp_types::{
    ClientCapabilities, Era, Implementation, InitializeRequestParams, LoggingLevel, RawJsonRef,
    RequestMetaRef, Revision, Revisions, error_codes,
};

use super::decode::{decode_leniently, required};
use super::params::RequestParams;
use crate::error::RequestError;
use crate::limits::EXCERPT_CHARS;

/// The outcome of a negotiation between two peers, by a handshake or by each stateless request.
///
/// `C` is the type of the peer's capabilities: a server has [`ClientCapabilities`], and a client
/// has [`ServerCapabilities`](mcp_types::ServerCapabilities). See 2025-11-25, "Lifecycle", and
/// 2026-07-28, "Overview", section `_meta`.
#[derive(Clone, Debug, PartialEq)]
pub struct Negotiated<C = ClientCapabilities> {
    /// The negotiated revision.
    pub revision: Revision,
    /// The name and version that the peer claims to have. They are not verified, and some peers
    /// leave them out.
    pub peer_info: Option<Implementation>,
    /// The capabilities that the peer declared.
    pub peer_capabilities: C,
    /// Instructions for models on how to use the server. Only servers send them.
    pub instructions: Option<String>,
}

const PROTOCOL_VERSION: &str = "_meta.io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "_meta.io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "_meta.io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "_meta.io.modelcontextprotocol/logLevel";

impl<C> Negotiated<C> {
    /// Returns the name and version of the peer for the log, shortened to 200 characters. The
    /// string is empty if the peer did not send them.
    pub(crate) fn peer_name(&self) -> String {
        let info = self.peer_info.as_ref();
        let name = info.map(|info| format!("{} {}", info.name, info.version));
        name.unwrap_or_default()
            .chars()
            .take(EXCERPT_CHARS)
            .collect()
    }
}

impl Negotiated {
    pub(super) fn handshake(
        params: &RequestParams<'_>,
        supported: Revisions,
    ) -> Result<Self, RequestError> {
        let raw = params.raw.unwrap_or(RawJsonRef::empty_object());
        let asked = raw.member("protocolVersion");
        let asked = asked.and_then(|asked| asked.parse::<String>().ok()?.parse().ok());
        let asked = asked.unwrap_or(Revision::LATEST_HANDSHAKE);
        let params: InitializeRequestParams =
            decode_leniently(raw, "", "InitializeRequestParams", asked)?;
        Ok(Self {
            revision: handshake_revision(&params.protocol_version, supported)?,
            peer_info: Some(params.client_info),
            peer_capabilities: params.capabilities,
            instructions: None,
        })
    }

    /// Negotiates by the `_meta` of a stateless request (2026-07-28, "Overview", section `_meta`).
    fn stateless(meta: &RequestMetaRef<'_>, supported: Revisions) -> Result<Self, RequestError> {
        let requested: String = required(meta.protocol_version, PROTOCOL_VERSION)?;
        let revision = requested
            .parse::<Revision>()
            .ok()
            .filter(|revision| supported.contains(*revision) && revision.era() == Era::Stateless)
            .ok_or(RequestError::UnsupportedVersion {
                code: error_codes::UNSUPPORTED_PROTOCOL_VERSION,
                requested,
                supported,
            })?;
        let capabilities = required(meta.client_capabilities, CLIENT_CAPABILITIES)?;
        let info = meta.client_info;
        let info = info.map(|raw| decode_leniently(raw, CLIENT_INFO, "Implementation", revision));
        Ok(Self {
            revision,
            peer_capabilities: decode_leniently(
                capabilities,
                CLIENT_CAPABILITIES,
                "ClientCapabilities",
                revision,
            )?,
            instructions: None,
            peer_info: info.transpose()?,
        })
    }

    /// Returns true if each result must contain the name of the server, because there was no
    /// handshake.
    pub(crate) fn results_name_server(&self) -> bool {
        self.revision.era() == Era::Stateless
    }

    /// Returns true if a client's settings apply until the end of the session. In the stateless
    /// era, they apply only to their own request.
    pub(crate) fn outlive_requests(&self) -> bool {
        self.revision.era() == Era::Handshake
    }

    /// Returns true if the client supports streams that begin with an event that has an id but no
    /// data (2025-11-25, "Transports", section "Sending Messages to the Server").
    pub(crate) fn primes_streams(&self) -> bool {
        self.revision.era() == Era::Handshake && self.revision >= Revision::V2025_11_25
    }
}

/// Returns true if `revision` allows only objects as structured content (2025-11-25, "Tools").
/// Later revisions allow any JSON.
pub(crate) fn structured_content_is_object(revision: Revision) -> bool {
    revision < Revision::V2026_07_28
}

/// The error code in the handshake era for a resource that does not exist (2025-11-25,
/// "Resources").
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;

pub(crate) fn resource_not_found(revision: Revision) -> i64 {
    match revision.era() {
        Era::Handshake => RESOURCE_NOT_FOUND,
        Era::Stateless => code::INVALID_PARAMS,
    }
}

/// A cache of the outcome of a client's last stateless request.
///
/// Most clients send the same version and capabilities with each request. Comparing their texts
/// costs a tenth of decoding them (3,600 instructions).
#[derive(Debug, Default)]
pub(crate) struct LastNegotiated {
    /// The JSON texts that the outcome was decoded from.
    source: [Option<Box<str>>; 3],
    outcome: Option<Arc<Negotiated>>,
}

impl LastNegotiated {
    /// Negotiates by `meta`, or returns the last outcome if `meta` is the same.
    pub(super) fn stateless(
        &mut self,
        meta: &RequestMetaRef<'_>,
        supported: Revisions,
    ) -> Result<Arc<Negotiated>, RequestError> {
        if let Some(level) = meta.log_level {
            check_level(level)?;
        }
        let source = [
            meta.protocol_version,
            meta.client_capabilities,
            meta.client_info,
        ];
        let source = source.map(|text| text.map(RawJsonRef::get));
        if let Some(negotiated) = &self.outcome
            && source == self.source.each_ref().map(Option::as_deref)
        {
            return Ok(Arc::clone(negotiated));
        }
        let negotiated = Arc::new(Negotiated::stateless(meta, supported)?);
        self.source = source.map(|text| text.map(Box::from));
        self.outcome = Some(Arc::clone(&negotiated));
        Ok(negotiated)
    }
}

/// Refuses an unknown log level (2026-07-28, "Logging", section Error Handling).
fn check_level(raw: RawJsonRef<'_>) -> Result<(), RequestError> {
    match required(Some(raw), LOG_LEVEL)? {
        LoggingLevel::Unknown(level) => Err(RequestError::InvalidParams {
            path: format!("params.{LOG_LEVEL}"),
            reason: format!("`{level}` is not a log level"),
        }),
        _ => Ok(()),
    }
}

/// Returns the revision for the answer to `initialize`: the requested one if it is supported, else
/// the newest supported handshake revision (2025-11-25, "Lifecycle", section Version Negotiation).
///
/// # Errors
///
/// When the requested revision is not a date, or no handshake revision is supported.
fn handshake_revision(requested: &str, supported: Revisions) -> Result<Revision, RequestError> {
    let unsupported = || RequestError::UnsupportedVersion {
        code: code::INVALID_PARAMS,
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

/// Returns true if `text` has the form `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = text.split('-').take_while(is_number);
    text.len() == 10 && parts.map(str::len).eq([4, 2, 2])
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
            assert_eq!(
                handshake_revision(revision.as_str(), Revisions::ALL),
                Ok(revision)
            );
        }
    }

    #[test]
    fn another_date_gets_the_newest_handshake_revision() {
        for requested in ["2099-01-01", "2026-07-28", "2020-01-01"] {
            let agreed = handshake_revision(requested, Revisions::ALL);
            assert_eq!(agreed, Ok(Revision::LATEST_HANDSHAKE), "{requested}");
        }
        let old = Revisions::ALL.up_to(Revision::V2025_03_26);
        assert_eq!(
            handshake_revision("2025-11-25", old),
            Ok(Revision::V2025_03_26)
        );
    }

    #[test]
    fn what_is_not_a_date_is_refused() {
        for requested in ["1.0.0", "", "2025-11-2x", "2025-11-251"] {
            assert!(
                handshake_revision(requested, Revisions::ALL).is_err(),
                "{requested}"
            );
        }
        let stateless = Revisions::only(Revision::V2026_07_28);
        assert!(handshake_revision("2025-11-25", stateless).is_err());
    }
}
