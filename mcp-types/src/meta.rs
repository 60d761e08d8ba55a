//! A look into the `_meta` of a request, without decoding the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::RawJsonRef;

/// The reserved members of a request's `_meta`, each as the bytes it came in.
///
/// A stateless request carries version and capabilities here (2026-07-28, "Overview", section
/// `_meta`). Members are raw, so that a fault in one is reported by name instead of spoiling the
/// look at the others.
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
    /// The `_meta` of a request's `params`, or `None` where there is none.
    ///
    /// # Errors
    ///
    /// When `_meta` is not an object.
    pub fn of_params(params: RawJsonRef<'a>) -> serde_json::Result<Option<Self>> {
        // Most handshake-era calls have none, and a substring that is missing is found missing
        // ten times as fast as an object is read. An escape could hide the name.
        if !params.get().contains("_meta") && !params.get().contains('\\') {
            return Ok(None);
        }
        serde_json::from_str::<MetaOf<'a>>(params.get()).map(|found| found.0)
    }
}

struct MetaOf<'a>(Option<RequestMetaRef<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for MetaOf<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Params;

        impl<'de> Visitor<'de> for Params {
            type Value = MetaOf<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = None;
                while let Some(Key(key)) = map.next_key()? {
                    if key == "_meta" {
                        found = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(MetaOf(found))
            }
        }

        deserializer.deserialize_map(Params)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RequestMetaRef<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Meta;

        impl<'de> Visitor<'de> for Meta {
            type Value = RequestMetaRef<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut meta = RequestMetaRef::default();
                while let Some(Key(key)) = map.next_key()? {
                    let slot = match &*key {
                        "io.modelcontextprotocol/protocolVersion" => &mut meta.protocol_version,
                        "io.modelcontextprotocol/clientCapabilities" => {
                            &mut meta.client_capabilities
                        }
                        "io.modelcontextprotocol/clientInfo" => &mut meta.client_info,
                        "io.modelcontextprotocol/logLevel" => &mut meta.log_level,
                        "progressToken" => &mut meta.progress_token,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *slot = Some(map.next_value()?);
                }
                Ok(meta)
            }
        }

        deserializer.deserialize_map(Meta)
    }
}

/// A member name, borrowed unless it has escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

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
    fn meta_must_be_an_object() {
        let params = serde_json::from_str(r#"{"_meta":[]}"#).unwrap();
        assert!(RequestMetaRef::of_params(params).is_err());
    }
}
