//! Ids of requests and progress tokens.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::RawJson;
use crate::number::integer_digits;

/// The id that links a response to its request: an integer or a string, never null.
///
/// An integer is any JSON number without a fraction that fits into an [`i64`], in any notation: `7.0`
/// and `70e-1` are the id `7`. Cloning is cheap because strings are shared.
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

/// The token that links progress notifications to the request that they report on.
///
/// The token is an integer or a string. The sender of the request chooses it, and it must be unique
/// among the sender's requests in flight.
pub type ProgressToken = RequestId;

impl RequestId {
    /// Returns the id that a JSON number denotes, or `None` if the number has a fraction or does not fit
    /// into an [`i64`].
    pub(crate) fn from_number(number: &str) -> Option<Self> {
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
        match self {
            Self::Number(id) => serializer.serialize_i64(*id),
            Self::String(id) => serializer.serialize_str(id),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        let id = if json.get().starts_with('"') {
            json.parse::<String>().ok().map(Self::from)
        } else {
            Self::from_number(json.get())
        };
        let fault = || D::Error::custom("expected an integer of 64 bits or a string");
        id.ok_or_else(fault)
    }
}
