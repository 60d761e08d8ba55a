//! A look into the `_meta` of a request, without decoding the rest.

use serde::de::{Deserialize, Deserializer, Error};

use crate::json::{Decode, Reader, Scanner, may_have_underscore};
use crate::{RawJsonRef, meta_keys};

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
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestMetaRef<'a> {
    /// `io.modelcontextprotocol/protocolVersion`.
    pub protocol_version: Option<RawJsonRef<'a>>,
    /// `io.modelcontextprotocol/clientCapabilities`.
    pub client_capabilities: Option<RawJsonRef<'a>>,
    /// `io.modelcontextprotocol/clientInfo`.
    pub client_info: Option<RawJsonRef<'a>>,
    /// `io.modelcontextprotocol/logLevel`.
    pub log_level: Option<RawJsonRef<'a>>,
    /// `progressToken`.
    pub progress_token: Option<RawJsonRef<'a>>,
}

impl<'a> RequestMetaRef<'a> {
    /// The `_meta` of a request's `params`, or `None` where it is absent or `null`.
    ///
    /// # Errors
    ///
    /// When `_meta` is not an object.
    pub fn of_params(params: RawJsonRef<'a>) -> serde_json::Result<Option<Self>> {
        let mut scanner = Scanner::of_valid(params.get());
        if !may_name_meta(params.get()) || !scanner.find("_meta") {
            return Ok(None);
        }
        if scanner.peek() == Some(b'n') {
            return Ok(None);
        }
        let meta = Self::read(&mut scanner);
        meta.map(Some).ok_or_else(no_object)
    }

    fn read(scanner: &mut Scanner<'a>) -> Option<Self> {
        let mut meta = Self::default();
        scanner.members(usize::MAX, |name, value| {
            if let Some(slot) = meta.slot(&name.text()) {
                *slot = (value != "null").then(|| RawJsonRef::of_checked(value));
            }
        })?;
        Some(meta)
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<RawJsonRef<'a>>> {
        Some(match name {
            meta_keys::PROTOCOL_VERSION => &mut self.protocol_version,
            meta_keys::CLIENT_CAPABILITIES => &mut self.client_capabilities,
            meta_keys::CLIENT_INFO => &mut self.client_info,
            meta_keys::LOG_LEVEL => &mut self.log_level,
            meta_keys::PROGRESS_TOKEN => &mut self.progress_token,
            _ => return None,
        })
    }
}

/// Whether a name in `text` may be `_meta`, seen without reading the text: most requests of the
/// handshake era have none, and looking through their members is a tenth of a small call.
fn may_name_meta(text: &str) -> bool {
    may_have_underscore(text.as_bytes()) && (text.contains("_meta\"") || text.contains('\\'))
}

fn no_object<E: Error>() -> E {
    E::custom("`_meta` must be an object")
}

impl<'de: 'a, 'a> Deserialize<'de> for RequestMetaRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let meta = RawJsonRef::deserialize(deserializer)?;
        Self::read(&mut Scanner::of_valid(meta.get())).ok_or_else(no_object)
    }
}

impl<'de: 'a, 'a> Decode<'de> for RequestMetaRef<'a> {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        let meta = reader.raw()?;
        Self::read(&mut Scanner::of_valid(meta)).ok_or_else(no_object)
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
    fn other_names_with_an_underscore_are_not_it() {
        assert!(meta_of(r#"{"name":"get_weather","arguments":{"of_meta":1}}"#).is_none());
        let meta = meta_of(r#"{"name":"get_weather","_meta":{"progressToken":7}}"#);
        assert_eq!(meta.unwrap().progress_token.unwrap().get(), "7");
    }

    #[test]
    fn null_counts_as_absent() {
        assert!(meta_of(r#"{"_meta":null}"#).is_none());
        let meta = meta_of(r#"{"_meta":{"progressToken": null }}"#).unwrap();
        assert!(meta.progress_token.is_none());
    }

    #[test]
    fn meta_must_be_an_object() {
        let params = serde_json::from_str(r#"{"_meta":[]}"#).unwrap();
        assert!(RequestMetaRef::of_params(params).is_err());
        assert!(serde_json::from_str::<RequestMetaRef<'_>>("[]").is_err());
    }
}
