//! The first and last bytes of a frame that can't be read as a whole.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};

use crate::text::Text;
use crate::{RawJsonRef, RequestId};

/// Members at the beginning of a frame that is too large or not valid JSON.
///
/// The members of the outermost object are read one by one, up to the place where the frame is cut
/// off or is no longer valid JSON.
///
/// ```
/// use mcp_types::jsonrpc::{Head, RequestId};
///
/// let head = Head::read(br#"{"jsonrpc":"2.0","id":7,"result":{"text":"aaa"#);
/// assert_eq!(head.id, Some(RequestId::from(7)));
/// assert!(head.is_response());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// The id of the message.
    pub id: Option<RequestId>,
    /// True if the message has a `method`.
    pub has_method: bool,
    /// True if the message has a `result` or an `error`.
    pub has_outcome: bool,
}

impl Head {
    /// Reads the members at the beginning of a frame. Bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn read(frame: &[u8]) -> Self {
        let text = String::from_utf8_lossy(frame);
        let mut head = Self::default();
        // An error is expected at the end of the frame; the members found before it are in `head`.
        let members = HeadVisitor {
            head: &mut head,
            end: text.as_bytes().as_ptr_range().end,
        };
        let _ = serde_json::Deserializer::from_str(&text).deserialize_map(members);
        head
    }

    /// Adds the id if it is at the end of the message, where some implementations write it: the last
    /// member, or the last before `jsonrpc`. `tail` has the last bytes of the frame.
    #[must_use]
    pub fn with_tail(mut self, tail: &[u8]) -> Self {
        self.id = self.id.or_else(|| last_id(tail));
        self
    }

    /// Returns true if the message is a response.
    #[must_use]
    pub fn is_response(&self) -> bool {
        self.has_outcome && !self.has_method
    }
}

struct HeadVisitor<'a> {
    head: &'a mut Head,
    end: *const u8,
}

impl<'de> Visitor<'de> for HeadVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(name)) = map.next_key()? {
            let head = &mut *self.head;
            // Record the name first: the value may be missing or cut off.
            head.has_method |= name == "method";
            head.has_outcome |= name == "result" || name == "error";
            let value: RawJsonRef<'de> = map.next_value()?;
            // A number at the very end of the frame may have been cut off.
            if name == "id" && value.get().as_bytes().as_ptr_range().end < self.end {
                head.id = value.parse().ok();
            }
        }
        Ok(())
    }
}

/// Returns the id in `…,"id":7}`.
///
/// In valid JSON, this can't be the end of a string or of an inner object: a quotation mark inside a
/// string is escaped, and the last brace closes the outermost object.
fn last_id(tail: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(tail);
    let members = text.trim_end().strip_suffix('}')?.trim_end();
    let version = r#","jsonrpc":"2.0""#;
    let members = members.strip_suffix(version).unwrap_or(members);
    let name = r#","id":"#;
    let value = &members[members.rfind(name)? + name.len()..];
    serde_json::from_str(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_before_the_cut_only() {
        let id = |head: &[u8]| Head::read(head).id;
        let head = br#"{"jsonrpc":"2.0","x":{"id":1},"id":"seven","params":{"text":"aaa"#;
        assert_eq!(id(head), Some(RequestId::from("seven")));
        assert_eq!(id(br#"{"id":7,"par"#), Some(RequestId::from(7)));
        assert_eq!(id(b"{\"x\":\"\xff\",\"id\":7,\"result\":"), Some(7.into()));
        for head in [
            &br#"{"params":{"id":7"#[..],
            br#"{"id":nul"#,
            br#"{"id":12"#,
            b"[{\"id\":1",
            b"",
            b"{",
        ] {
            assert_eq!(id(head), None);
        }
    }

    #[test]
    fn the_id_may_be_the_last_member() {
        let id = |tail: &str| Head::read(b"{\"result\":{").with_tail(tail.as_bytes()).id;
        assert_eq!(id(r#"aaa"}},"jsonrpc":"2.0","id":7}"#), Some(7.into()));
        assert_eq!(
            id(r#"},"id":"seven","jsonrpc":"2.0"} "#),
            Some("seven".into())
        );
        for tail in [r#"a,\"id\":7}"}}"#, r#","id":7}}"#, r#","id":7"#, ""] {
            assert_eq!(id(tail), None, "{tail}");
        }
        let head = Head::read(br#"{"id":1,"result":{"#).with_tail(br#","id":2}"#);
        assert_eq!(head.id, Some(1.into()));
    }

    #[test]
    fn a_response_has_an_outcome_and_no_method() {
        let is_response = |head: &[u8]| Head::read(head).is_response();
        assert!(is_response(br#"{"id":7,"result":{"content":["#));
        assert!(is_response(br#"{"error":{"code":1}}{"#));
        assert!(!is_response(br#"{"id":7,"method":"x","result":["#));
        assert!(!is_response(br#"{"id":7,"params":{"result":["#));
    }
}
