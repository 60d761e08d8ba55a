//! Parses the bytes of a frame.

use serde::de::IgnoredAny;

use super::envelope::{Envelope, text};
use super::{ErrorObject, Frame, Head, InvalidMessage, Message, RequestId, VERSION, depth};
use crate::{RawJsonRef, well_formed};

/// The deepest nesting of arrays and objects that [`Frame::parse`] accepts.
pub const DEFAULT_MAX_DEPTH: usize = 128;

impl<'a> Frame<'a> {
    /// Parses one frame: a message or a batch of messages.
    ///
    /// ```
    /// use mcp_types::jsonrpc::{Frame, Message};
    ///
    /// let bytes = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    /// let Ok(Frame::Single(Message::Request { method, .. })) = Frame::parse(bytes) else {
    ///     panic!("a request was expected");
    /// };
    /// assert_eq!(method, "ping");
    /// ```
    ///
    /// # Errors
    ///
    /// The error to send to the peer: a parse error for bytes that are not JSON or nest deeper than
    /// [`DEFAULT_MAX_DEPTH`], an invalid request for JSON that is not a JSON-RPC 2.0 message.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, InvalidMessage> {
        Self::parse_with_max_depth(bytes, DEFAULT_MAX_DEPTH)
    }

    /// Parses one frame like [`Frame::parse`], with another nesting limit.
    ///
    /// # Errors
    ///
    /// The same as for [`Frame::parse`].
    pub fn parse_with_max_depth(bytes: &'a [u8], max_depth: usize) -> Result<Self, InvalidMessage> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(fault) => return unreadable(bytes, InvalidMessage::parse_error(fault)),
        };
        if depth::exceeds(bytes, max_depth) {
            let reason = format_args!("nested deeper than {max_depth} levels");
            return unreadable(bytes, InvalidMessage::parse_error(reason));
        }
        if text.trim_ascii_start().starts_with('[') {
            return batch(text);
        }
        match serde_json::from_str(text) {
            Ok(envelope) => Message::new(envelope).map(Frame::Single),
            Err(_) => unreadable(bytes, fault(text)),
        }
    }
}

/// Returns an invalid response if the beginning of the frame shows that it is a response; otherwise
/// returns the error.
#[cold]
fn unreadable<'a>(bytes: &[u8], invalid: InvalidMessage) -> Result<Frame<'a>, InvalidMessage> {
    let head = Head::read(bytes);
    if !head.is_response() {
        return Err(invalid);
    }
    let reason = invalid.error.message.into_owned();
    let id = head.id;
    Ok(Frame::Single(Message::InvalidResponse { id, reason }))
}

fn batch(text: &str) -> Result<Frame<'_>, InvalidMessage> {
    let members: Vec<RawJsonRef<'_>> =
        serde_json::from_str(text).map_err(InvalidMessage::parse_error)?;
    if members.is_empty() {
        return Err(InvalidMessage::invalid_request(None, "the batch is empty"));
    }
    let messages = members.into_iter().map(|text| match text.parse() {
        Ok(envelope) => Message::new(envelope),
        Err(_) => Err(fault(text.get())),
    });
    Ok(Frame::Batch(messages.collect()))
}

/// Returns the error for text that is not a JSON object.
#[cold]
fn fault(text: &str) -> InvalidMessage {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => InvalidMessage::invalid_request(None, "a message must be a JSON object"),
        Err(fault) => InvalidMessage::parse_error(fault),
    }
}

impl<'a> Message<'a> {
    fn new(envelope: Envelope<'a>) -> Result<Self, InvalidMessage> {
        let id = envelope.request_id();
        let readable_id = || id.as_ref().ok().cloned().flatten();
        if envelope.method.is_none() && (envelope.result.is_some() || envelope.error.is_some()) {
            let readable_id = readable_id();
            return Ok(match response(&envelope, id) {
                Ok(response) => response,
                Err(reason) => Self::InvalidResponse {
                    id: readable_id,
                    reason,
                },
            });
        }
        let invalid = |reason: &str| InvalidMessage {
            has_method: envelope.method.is_some(),
            ..InvalidMessage::invalid_request(readable_id(), reason)
        };

        if let Some(member) = envelope.duplicate {
            return Err(invalid(&format!("`{member}` occurs twice")));
        }
        if envelope.jsonrpc.map(RawJsonRef::get) != Some("\"2.0\"") {
            return Err(invalid(&format!("`jsonrpc` must be \"{VERSION}\"")));
        }
        if envelope.params.is_some_and(|params| !params.is_object()) {
            return Err(invalid("`params` must be an object"));
        }
        let Some(method) = envelope.method else {
            return Err(invalid("`method` is missing"));
        };
        if envelope.result.is_some() || envelope.error.is_some() {
            return Err(invalid(
                "a message has either `method` or `result` or `error`",
            ));
        }
        let Some(method) = text(method) else {
            return Err(invalid("`method` must be a string"));
        };
        let params = envelope.params;
        let id = id.map_err(|invalid| InvalidMessage {
            has_method: true,
            ..invalid
        })?;
        Ok(match id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        })
    }
}

/// Reads a message that has `result` or `error` but no `method`.
///
/// # Errors
///
/// A description of the fault in the response.
fn response<'a>(
    envelope: &Envelope<'a>,
    id: Result<Option<RequestId>, InvalidMessage>,
) -> Result<Message<'a>, String> {
    if let Some(member) = envelope.duplicate {
        return Err(format!("`{member}` occurs twice"));
    }
    if envelope.jsonrpc.map(RawJsonRef::get) != Some("\"2.0\"") {
        return Err(format!("`jsonrpc` must be \"{VERSION}\""));
    }
    let is_null = |member: Option<RawJsonRef<'_>>| member.map(RawJsonRef::get) == Some("null");
    let outcome = match (envelope.result, envelope.error) {
        // If one of the two members is null, it is treated as absent.
        (Some(result), error) if error.is_none() || is_null(error) => Ok(result),
        (result, Some(error)) if result.is_none() || is_null(result) => {
            if !error.is_object() {
                return Err("`error` must be an object".to_owned());
            }
            let parsed = error.parse::<ErrorObject>();
            let error = parsed.or_else(|_| serde_json::from_str(&well_formed(error.get())));
            Err(error.map_err(|fault| format!("`error`: {fault}"))?)
        }
        _ => return Err("it has both `result` and `error`".to_owned()),
    };
    // An error about a message whose id could not be read has a null id or no id.
    let id = match (envelope.id.map(RawJsonRef::get), &outcome) {
        (Some("null"), Err(_)) => None,
        (Some(_), _) => id.map_err(|_| "`id` must be a string or an integer".to_owned())?,
        (None, _) => None,
    };
    if id.is_none() && outcome.is_ok() {
        return Err("`id` is missing".to_owned());
    }
    Ok(Message::Response { id, outcome })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::code;
    use super::*;

    fn refused(text: &str) -> InvalidMessage {
        Frame::parse(text.as_bytes()).unwrap_err()
    }

    fn parsed(text: &str) -> Message<'_> {
        match Frame::parse(text.as_bytes()).unwrap() {
            Frame::Single(message) => message,
            Frame::Batch(_) => panic!("one message was expected"),
        }
    }

    #[test]
    fn a_request_is_borrowed() {
        let Message::Request { id, method, params } = parsed(
            r#" {"method":"tools/call","params":{"name":"add"},"id":"a","jsonrpc":"2.0","x":1}"#,
        ) else {
            panic!("a request was expected");
        };
        assert_eq!(id, RequestId::from("a"));
        assert!(matches!(method, Cow::Borrowed("tools/call")));
        assert_eq!(params.map(RawJsonRef::get), Some(r#"{"name":"add"}"#));
    }

    #[test]
    fn an_escaped_method_is_decoded() {
        let Message::Notification { method, .. } =
            parsed(r#"{"jsonrpc":"2.0","method":"notifications\/initialized"}"#)
        else {
            panic!("a notification was expected");
        };
        assert_eq!(method, "notifications/initialized");
    }

    #[test]
    fn what_is_not_json_is_a_parse_error() {
        for text in [
            "",
            "rubbish",
            "{\"jsonrpc\":",
            "{}x",
            "[1,",
            "{\"id\":\"\u{1}\"}",
        ] {
            let invalid = refused(text);
            assert_eq!(invalid.error.code, code::PARSE_ERROR, "{text}");
            assert_eq!(invalid.id, None);
        }
        let invalid = Frame::parse(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}").unwrap_err();
        assert_eq!(invalid.error.code, code::PARSE_ERROR);
    }

    #[test]
    fn deep_nesting_is_a_parse_error() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{}{}}}"#,
            r#"{"a":"#.repeat(200),
            "1".to_owned() + &"}".repeat(200)
        );
        assert_eq!(refused(&deep).error.code, code::PARSE_ERROR);
        assert!(Frame::parse_with_max_depth(deep.as_bytes(), 300).is_ok());
    }

    #[test]
    fn a_fault_is_named_and_the_id_kept() {
        let faults = [
            (r#"{"id":4,"method":"ping"}"#, "`jsonrpc`"),
            (r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, "`jsonrpc`"),
            (r#"{"jsonrpc":2.0,"id":4,"method":"ping"}"#, "`jsonrpc`"),
            (r#"{"jsonrpc":"2.0","id":4,"method":7}"#, "`method`"),
            (r#"{"jsonrpc":"2.0","id":4}"#, "`method`"),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"a","params":[1]}"#,
                "`params`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"a","params":null}"#,
                "`params`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"a","method":"b"}"#,
                "`method`",
            ),
            (
                r#"{"jsonrpc":"2.0","id":4,"method":"a","result":{}}"#,
                "either",
            ),
        ];
        for (text, word) in faults {
            let invalid = refused(text);
            assert_eq!(invalid.error.code, code::INVALID_REQUEST, "{text}");
            assert_eq!(invalid.id, Some(RequestId::Number(4)), "{text}");
            assert!(invalid.error.message.contains(word), "{text}: {invalid}");
        }
    }

    #[test]
    fn an_id_is_a_string_or_an_integer() {
        for id in ["null", "true", "1.5", "{}", "9223372036854775808", "1e19"] {
            let invalid = refused(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
            assert_eq!(invalid.error.code, code::INVALID_REQUEST, "{id}");
            assert_eq!(invalid.id, None);
        }
        for (id, integer) in [("1.0", 1), ("1e2", 100), ("-0", 0), ("-20e-1", -2)] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let Message::Request { id: read, .. } = parsed(&text) else {
                panic!("a request was expected");
            };
            assert_eq!(read, RequestId::Number(integer), "{id}");
            let decoded: RequestId = serde_json::from_str(id).unwrap();
            assert_eq!(decoded, read, "{id}");
        }
    }

    #[test]
    fn responses_are_told_apart() {
        let text = r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#;
        assert!(matches!(
            parsed(text),
            Message::Response { outcome: Ok(_), .. }
        ));
        let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#;
        let Message::Response {
            id: None,
            outcome: Err(error),
        } = parsed(text)
        else {
            panic!("an error was expected");
        };
        assert_eq!(error.code, code::PARSE_ERROR);
    }

    #[test]
    fn a_malformed_response_names_its_fault_and_its_request() {
        for (text, word) in [
            (
                r#"{"jsonrpc":"2.0","id":4,"result":{},"error":{"code":1,"message":"no"}}"#,
                "both",
            ),
            (r#"{"jsonrpc":"2.0","id":4,"error":null}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":4,"error":"no"}"#, "`error`"),
            (r#"{"jsonrpc":"2.0","id":4,"error":{"code":1}}"#, "message"),
            (r#"{"id":4,"result":{}}"#, "`jsonrpc`"),
            (
                r#"{"jsonrpc":"2.0","id":4,"result":{},"result":{}}"#,
                "twice",
            ),
            (r#"{"jsonrpc":"2.0","id":4,"result":{"a":}}"#, "Parse error"),
            (r#"{"jsonrpc":"2.0","id":4,"result":{"#, "Parse error"),
        ] {
            let Message::InvalidResponse { id, reason } = parsed(text) else {
                panic!("{text}");
            };
            assert_eq!(id, Some(RequestId::Number(4)), "{text}");
            assert!(reason.contains(word), "{text}: {reason}");
        }
        let bytes = b"{\"jsonrpc\":\"2.0\",\"result\":\"\xff\",\"id\":4}";
        let frame = Frame::parse(bytes).unwrap();
        assert!(matches!(
            frame,
            Frame::Single(Message::InvalidResponse {
                id: Some(RequestId::Number(4)),
                ..
            })
        ));
        for id in ["null", "1.5", "{}"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
            assert!(matches!(
                parsed(&text),
                Message::InvalidResponse { id: None, .. }
            ));
        }
    }

    #[test]
    fn null_beside_the_other_outcome_counts_as_absent() {
        let text = r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#;
        assert!(matches!(
            parsed(text),
            Message::Response { outcome: Ok(_), .. }
        ));
        let text = r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"no"}}"#;
        assert!(matches!(
            parsed(text),
            Message::Response {
                outcome: Err(_),
                ..
            }
        ));
    }

    #[test]
    fn only_a_message_with_a_method_is_known_not_to_be_a_response() {
        assert!(!refused(r#"{"jsonrpc":"2.0","id":4}"#).has_method);
        assert!(!refused("rubbish").has_method);
        assert!(refused(r#"{"jsonrpc":"2.0","id":4,"method":7}"#).has_method);
        assert!(refused(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#).has_method);
    }

    #[test]
    fn members_of_a_batch_fail_one_by_one() {
        let text = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"id":2}]"#;
        let Ok(Frame::Batch(members)) = Frame::parse(text.as_bytes()) else {
            panic!("a batch was expected");
        };
        assert!(members[0].is_ok() && members[1].is_err() && members[2].is_err());
        assert_eq!(refused("[]").error.code, code::INVALID_REQUEST);
        assert_eq!(refused("7").error.code, code::INVALID_REQUEST);
    }
}
