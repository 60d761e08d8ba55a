//! The members of a message, located but not decoded.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use super::{InvalidMessage, RequestId};
use crate::RawJsonRef;

/// The members of a message. They are decoded separately, so a fault in one does not hide the others.
#[derive(Default)]
pub(super) struct Envelope<'a> {
    pub(super) jsonrpc: Option<RawJsonRef<'a>>,
    pub(super) id: Option<RawJsonRef<'a>>,
    pub(super) method: Option<RawJsonRef<'a>>,
    pub(super) params: Option<RawJsonRef<'a>>,
    pub(super) result: Option<RawJsonRef<'a>>,
    pub(super) error: Option<RawJsonRef<'a>>,
    /// A member that occurs twice.
    pub(super) duplicate: Option<&'static str>,
}

/// The name of a member.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Name {
    JsonRpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Other,
}

impl<'a> Envelope<'a> {
    fn slot(&mut self, name: &Name) -> Option<(&mut Option<RawJsonRef<'a>>, &'static str)> {
        Some(match name {
            Name::JsonRpc => (&mut self.jsonrpc, "jsonrpc"),
            Name::Id => (&mut self.id, "id"),
            Name::Method => (&mut self.method, "method"),
            Name::Params => (&mut self.params, "params"),
            Name::Result => (&mut self.result, "result"),
            Name::Error => (&mut self.error, "error"),
            Name::Other => return None,
        })
    }

    pub(super) fn request_id(&self) -> Result<Option<RequestId>, InvalidMessage> {
        let Some(raw) = self.id else {
            return Ok(None);
        };
        let id = match raw.get() {
            json if json.starts_with('"') => text(raw).map(|text| RequestId::from(&*text)),
            json => RequestId::from_number(json),
        };
        let reason = "`id` must be a string or an integer";
        match id {
            Some(id) => Ok(Some(id)),
            None => Err(InvalidMessage::invalid_request(None, reason)),
        }
    }
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(name) = map.next_key::<Name>()? {
            let Some((slot, name)) = envelope.slot(&name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if slot.replace(map.next_value()?).is_some() {
                envelope.duplicate = Some(name);
            }
        }
        Ok(envelope)
    }
}

/// Returns the value of a JSON string, borrowed if it has no escapes.
pub(super) fn text(raw: RawJsonRef<'_>) -> Option<Cow<'_, str>> {
    raw.parse::<crate::text::Text<'_>>().ok().map(|text| text.0)
}
