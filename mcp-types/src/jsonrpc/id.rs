//! Identifiers: of a request, and of the progress of one.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::json::{self, Decode, Encode, Encoder, Reader};
use crate::number::integer_digits;

/// The id that ties a response to its request: an integer or a string, never null.
///
/// An integer is any JSON number without a fraction within [`i64`], however it is written: `7.0`
/// and `70e-1` are the id `7`. Cloning is cheap; strings are shared.
///
/// ```
/// use mcp_types::RequestId;
///
/// let id: RequestId = serde_json::from_str("7.0").unwrap();
/// assert_eq!(id, RequestId::from(7));
/// assert!(serde_json::from_str::<RequestId>("1.5").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// An integer id.
    Number(i64),
    /// A string id.
    String(Arc<str>),
}

/// The token that ties progress notifications to the request that asked for them.
///
/// An integer or a string, chosen by the sender of the request and unique among its requests in
/// flight.
pub type ProgressToken = RequestId;

impl RequestId {
    /// The id that a JSON number denotes; `None` for a fraction, and beyond [`i64`].
    pub(super) fn from_number(number: &str) -> Option<Self> {
        let id = number.parse().ok();
        let id = id.or_else(|| integer_digits(number)?.parse().ok());
        id.map(Self::Number)
    }
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        Self::Number(id)
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::String(id.into())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::String(id.into())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(id) => id.fmt(f),
            Self::String(id) => id.fmt(f),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json::serialize(self, serializer)
    }
}

impl Encode for RequestId {
    fn encode<'a>(&'a self, to: &mut Encoder<'_, 'a>) {
        match self {
            Self::Number(id) => to.integer(*id),
            Self::String(id) => to.text(id),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::deserialize(deserializer)
    }
}

impl<'de> Decode<'de> for RequestId {
    fn decode(reader: &mut Reader<'de>) -> serde_json::Result<Self> {
        match reader.peek() {
            Some(b'"') => reader.string().map(|id| Self::from(&*id)),
            Some(b'-' | b'0'..=b'9') => {
                let start = reader.place();
                if let Some(id) = Self::from_number(reader.raw()?) {
                    return Ok(id);
                }
                reader.go(start);
                Err(reader.misfit(&"an integer of 64 bits or a string"))
            }
            _ => Err(reader.misfit(&"an integer or a string")),
        }
    }
}
