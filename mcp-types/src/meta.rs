//! Access to single members of a request's `params` and `_meta`, without decoding the rest.

use serde::Deserialize;

use crate::RawJsonRef;

/// The reserved members of a request's `_meta`, undecoded.
///
/// A stateless request carries version and capabilities here (2026-07-28, "Overview", section
/// `_meta`). Members are raw JSON, so a fault in one member can be reported by name and does not
/// affect the others. A member that is `null` is treated as absent.
///
/// ```
/// use mcp_types::RequestMetaRef;
///
/// let meta: RequestMetaRef = serde_json::from_str(r#"{"progressToken":1}"#).unwrap();
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

/// The members of `params` that several methods share, undecoded.
///
/// A server reads these members in one pass, and then decodes the members that the method has. A
/// member that is `null` is treated as absent; a duplicate member is an error.
///
/// ```
/// use mcp_types::RequestParamsRef;
///
/// let params = r#"{"name":"add","arguments":{"a":1},"_meta":{}}"#;
/// let params: RequestParamsRef = serde_json::from_str(params).unwrap();
/// assert_eq!(params.name.unwrap().get(), r#""add""#);
/// assert_eq!(params.arguments.unwrap().get(), r#"{"a":1}"#);
/// assert!(params.uri.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(expecting = "an object")]
pub struct RequestParamsRef<'a> {
    /// `_meta`.
    #[serde(borrow, rename = "_meta", default)]
    pub meta: Option<RawJsonRef<'a>>,
    /// `name` of a tool or prompt.
    #[serde(borrow, default)]
    pub name: Option<RawJsonRef<'a>>,
    /// `uri` of a resource.
    #[serde(borrow, default)]
    pub uri: Option<RawJsonRef<'a>>,
    /// `arguments` of a tool or prompt.
    #[serde(borrow, default)]
    pub arguments: Option<RawJsonRef<'a>>,
    /// `cursor` of a list.
    #[serde(borrow, default)]
    pub cursor: Option<RawJsonRef<'a>>,
    /// `inputResponses` of a retry (2026-07-28).
    #[serde(borrow, rename = "inputResponses", default)]
    pub input_responses: Option<RawJsonRef<'a>>,
    /// `requestState` of a retry (2026-07-28).
    #[serde(borrow, rename = "requestState", default)]
    pub request_state: Option<RawJsonRef<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_names_are_found() {
        let params = r#"{"\u005fmeta":{"io.modelcontextprotocol\/protocolVersion":"x"}}"#;
        let params: RequestParamsRef<'_> = serde_json::from_str(params).unwrap();
        let meta: RequestMetaRef<'_> = params.meta.unwrap().parse().unwrap();
        assert_eq!(meta.protocol_version.unwrap().get(), "\"x\"");
    }

    #[test]
    fn null_counts_as_absent() {
        let params: RequestParamsRef<'_> = serde_json::from_str(r#"{"_meta":null}"#).unwrap();
        assert!(params.meta.is_none());
        let meta: RequestMetaRef<'_> = serde_json::from_str(r#"{"progressToken": null }"#).unwrap();
        assert!(meta.progress_token.is_none());
    }

    #[test]
    fn a_member_that_is_given_twice_is_refused() {
        let error = serde_json::from_str::<RequestParamsRef<'_>>(r#"{"uri":1,"uri":2}"#);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("duplicate field `uri`")
        );
    }
}
