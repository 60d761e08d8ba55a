//! The reserved members of a request's `_meta`, without decoding the rest.

use serde::Deserialize;

use crate::RawJsonRef;

/// The reserved members of a request's `_meta`, each as the bytes it came in.
///
/// A stateless request carries version and capabilities here (2026-07-28, "Overview", section
/// `_meta`). Members are raw, so that a fault in one is reported by name instead of spoiling the
/// look at the others. A member that is `null` counts as absent.
///
/// ```
/// use mcp_types::RequestMetaRef;
///
/// let params = r#"{"name":"add","_meta":{"progressToken":1}}"#;
/// let params = serde_json::from_str(params).unwrap();
/// let meta = RequestMetaRef::of_params(params).unwrap().unwrap();
/// assert_eq!(meta.progress_token.unwrap().get(), "1");
/// assert!(meta.protocol_version.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(expecting = "an object")]
pub struct RequestMetaRef<'a> {
    /// `io.modelcontextprotocol/protocolVersion`.
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion", default)]
    pub protocol_version: Option<RawJsonRef<'a>>,
    /// `io.modelcontextprotocol/clientCapabilities`.
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities", default)]
    pub client_capabilities: Option<RawJsonRef<'a>>,
    /// `io.modelcontextprotocol/clientInfo`.
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo", default)]
    pub client_info: Option<RawJsonRef<'a>>,
    /// `io.modelcontextprotocol/logLevel`.
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel", default)]
    pub log_level: Option<RawJsonRef<'a>>,
    /// `progressToken`.
    #[serde(borrow, rename = "progressToken", default)]
    pub progress_token: Option<RawJsonRef<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta", default)]
    meta: Option<RequestMetaRef<'a>>,
}

impl<'a> RequestMetaRef<'a> {
    /// The `_meta` of a request's `params`, or `None` where it is absent or `null`.
    ///
    /// # Errors
    ///
    /// When `_meta` is not an object.
    pub fn of_params(params: RawJsonRef<'a>) -> serde_json::Result<Option<Self>> {
        // Most requests of the handshake era have none, and reading them is a tenth of a small call.
        if !params.get().contains("_meta") && !params.get().contains('\\') {
            return Ok(None);
        }
        params.parse::<Params<'a>>().map(|params| params.meta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta_of(params: &str) -> Option<RequestMetaRef<'_>> {
        RequestMetaRef::of_params(serde_json::from_str(params).unwrap()).unwrap()
    }

    #[test]
    fn escaped_names_are_found() {
        let meta = meta_of(r#"{"\u005fmeta":{"io.modelcontextprotocol\/protocolVersion":"x"}}"#);
        assert_eq!(meta.unwrap().protocol_version.unwrap().get(), "\"x\"");
    }

    #[test]
    fn a_lookalike_deeper_down_is_not_it() {
        assert!(meta_of(r#"{"arguments":{"_meta":{"progressToken":1}}}"#).is_none());
    }

    #[test]
    fn null_counts_as_absent() {
        assert!(meta_of(r#"{"_meta":null}"#).is_none());
        let meta = meta_of(r#"{"_meta":{"progressToken": null }}"#).unwrap();
        assert!(meta.progress_token.is_none());
    }

    #[test]
    fn meta_must_be_an_object() {
        let params = serde_json::from_str(r#"{"_meta":1}"#).unwrap();
        assert!(RequestMetaRef::of_params(params).is_err());
    }
}
