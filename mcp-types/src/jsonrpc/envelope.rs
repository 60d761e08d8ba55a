//! The members of a message, found but not read.

use std::borrow::Cow;

use super::{InvalidMessage, RequestId};
use crate::RawJsonRef;
use crate::json::{self, Scanner};

/// The members of a message: a fault in one must not hide the others.
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

impl<'a> Envelope<'a> {
    /// Finds the members in one pass over `text`; `None` if it is not an object, or nests deeper
    /// than `max_depth` levels.
    pub(super) fn read(text: &'a str, max_depth: usize) -> Option<Self> {
        let mut envelope = Self::default();
        let mut scanner = Scanner::new(text);
        scanner.members(max_depth, |name, value| {
            if let Some((slot, name)) = envelope.slot(&name.text())
                && slot.replace(RawJsonRef::of_checked(value)).is_some()
            {
                envelope.duplicate = Some(name);
            }
        })?;
        scanner.is_at_end().then_some(envelope)
    }

    fn slot(&mut self, name: &str) -> Option<(&mut Option<RawJsonRef<'a>>, &'static str)> {
        Some(match name {
            "jsonrpc" => (&mut self.jsonrpc, "jsonrpc"),
            "id" => (&mut self.id, "id"),
            "method" => (&mut self.method, "method"),
            "params" => (&mut self.params, "params"),
            "result" => (&mut self.result, "result"),
            "error" => (&mut self.error, "error"),
            _ => return None,
        })
    }

    /// The id, if there is one.
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

/// The text of a JSON string, borrowed where it has no escapes.
pub(super) fn text(raw: RawJsonRef<'_>) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        json::decode(raw.get()).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}
