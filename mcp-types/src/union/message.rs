//! Unions of messages, distinguished by `method`.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::without_place;
use crate::{RawJson, RawJsonRef};

/// A message without its envelope.
#[derive(serde::Deserialize, serde::Serialize)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    pub(crate) method: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) params: Option<RawJsonRef<'a>>,
}

/// Decodes parameters that may be absent.
pub(crate) fn optional<'de, T: Deserialize<'de>>(
    params: Option<RawJsonRef<'de>>,
) -> serde_json::Result<Option<T>> {
    params.map(RawJsonRef::parse).transpose()
}

/// Decodes parameters. Absent parameters are read as an empty object, so the error names a field.
pub(crate) fn required<'de, T: Deserialize<'de>>(
    params: Option<RawJsonRef<'de>>,
) -> serde_json::Result<T> {
    params.unwrap_or_else(RawJsonRef::empty_object).parse()
}

/// Decodes a union of messages.
///
/// `read` decodes the member for a method, if there is one, and `unknown` keeps any other message.
///
/// # Errors
///
/// When the value is not an object with `method`, or the parameters do not match the method.
pub(crate) fn deserialize<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    read: impl FnOnce(&str, Option<RawJsonRef<'_>>) -> serde_json::Result<Option<T>>,
    unknown: impl FnOnce(RawJson) -> T,
) -> Result<T, D::Error> {
    let json = RawJson::deserialize(deserializer)?;
    if !json.is_object() {
        return Err(D::Error::custom("expected an object with `method`"));
    }
    let message: Message<'_> = json.parse().map_err(without_place)?;
    let known = read(&message.method, message.params).map_err(without_place)?;
    Ok(known.unwrap_or_else(|| unknown(json)))
}

pub(crate) fn serialize<S: Serializer>(
    serializer: S,
    method: &str,
    params: Option<&impl Serialize>,
) -> Result<S::Ok, S::Error> {
    let mut message = serializer.serialize_map(None)?;
    message.serialize_entry("method", method)?;
    if let Some(params) = params {
        message.serialize_entry("params", params)?;
    }
    message.end()
}
