//! Functions that append whole messages to a byte buffer, without line breaks.

use memchr::memchr2;
use serde::Serialize;
use serde_json::Error;

use super::members::with_meta;
use super::{ErrorObject, RequestId, VERSION};

/// The id of an error response.
#[derive(Clone, Copy, Debug)]
pub enum ErrorId<'a> {
    /// The id of the request.
    Of(&'a RequestId),
    /// The id could not be read and is written as `null`, as in JSON-RPC 2.0.
    Null,
    /// The id could not be read and is left out, as in revision 2026-07-28.
    Absent,
}

/// A request, a notification (without `id`), or a response.
#[derive(Serialize)]
struct Line<'a, T: ?Sized> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Option<&'a RequestId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorObject>,
}

impl<T: ?Sized> Line<'_, T> {
    const EMPTY: Self = Self {
        jsonrpc: VERSION,
        id: None,
        method: None,
        params: None,
        result: None,
        error: None,
    };
}

/// Appends a value, such as a result that is serialized once and sent often.
///
/// The output equals the output of `serde_json::to_writer`, but is on one line: line breaks in raw JSON, which can only
/// be white space between tokens, are replaced by spaces.
///
/// ```
/// use mcp_types::RawJson;
/// use mcp_types::jsonrpc::write;
///
/// let mut out = Vec::new();
/// write::value(&mut out, &RawJson::from_text("[1,\n2]").unwrap());
/// assert_eq!(out, b"[1, 2]");
/// ```
///
/// # Panics
///
/// When the value can't be serialized to JSON, such as a map whose keys are not strings. All types of
/// this crate can be serialized.
pub fn value<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let start = out.len();
    serde_json::to_writer(&mut *out, value).expect("the value has a JSON form");
    remove_line_breaks(&mut out[start..]);
}

fn remove_line_breaks(mut json: &mut [u8]) {
    while let Some(at) = memchr2(b'\n', b'\r', json) {
        json[at] = b' ';
        json = &mut json[at + 1..];
    }
}

/// Appends a request.
pub fn request<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    params: Option<&P>,
) {
    let line = Line {
        id: Some(Some(id)),
        method: Some(method),
        params,
        ..Line::EMPTY
    };
    value(out, &line);
}

/// Appends a request with additional members in `params._meta`: `members` is a JSON object without its
/// braces.
///
/// # Errors
///
/// When `params` is not an object. The buffer is then unchanged.
pub fn request_with_meta<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    members: &str,
    params: &P,
) -> serde_json::Result<()> {
    let params = with_meta(params, members)?;
    request(out, id, method, Some(&params));
    Ok(())
}

/// Appends a notification.
pub fn notification<P: Serialize + ?Sized>(out: &mut Vec<u8>, method: &str, params: Option<&P>) {
    let line = Line {
        method: Some(method),
        params,
        ..Line::EMPTY
    };
    value(out, &line);
}

/// Appends a response with a result.
pub fn result<T: Serialize + ?Sized>(out: &mut Vec<u8>, id: &RequestId, result: &T) {
    let line = Line {
        id: Some(Some(id)),
        result: Some(result),
        ..Line::EMPTY
    };
    value(out, &line);
}

/// Appends a response whose result begins with members that are already serialized: `prefix` is an
/// object without its closing brace, and must have a member.
///
/// # Errors
///
/// When `result` is not an object. The buffer is then unchanged.
pub fn result_with_prefix<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    prefix: &str,
    result: &T,
) -> serde_json::Result<()> {
    let before = out.len();
    begin_result(out, id);
    value_text(out, prefix);
    let start = out.len();
    value(out, result);
    match &out[start..] {
        b"{}" => {
            out.remove(start);
        }
        [b'{', ..] => out[start] = b',',
        _ => {
            out.truncate(before);
            return Err(no_object());
        }
    }
    out.push(b'}');
    Ok(())
}

/// Appends the part of a response that precedes its result.
pub(super) fn begin_result(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    value(out, id);
    out.extend_from_slice(br#","result":"#);
}

fn value_text(out: &mut Vec<u8>, json: &str) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    remove_line_breaks(&mut out[start..]);
}

#[cold]
pub(super) fn no_object() -> Error {
    serde::ser::Error::custom("a result must be an object")
}

/// Appends a response with an error.
pub fn error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) {
    let id = match id {
        ErrorId::Of(id) => Some(Some(id)),
        ErrorId::Null => Some(None),
        ErrorId::Absent => None,
    };
    let line = Line::<()> {
        id,
        error: Some(error),
        ..Line::EMPTY
    };
    value(out, &line);
}

#[cfg(test)]
mod tests {
    use crate::RawJson;

    use super::*;

    #[test]
    fn messages_take_one_line() {
        let params = RawJson::from_text("{\n\"a\":\r\n\"\\n\"}").unwrap();
        let mut out = Vec::new();
        request(&mut out, &RequestId::from(1), "ping", Some(&params));
        assert_eq!(
            out,
            br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{ "a":  "\n"}}"#
        );
    }

    #[test]
    fn a_prefix_goes_before_the_members_of_the_result() {
        let id = RequestId::from(1);
        let prefix = r#"{"_meta":{}"#;
        for (result, expected) in [(r#"{"a":1}"#, r#","a":1}"#), ("{}", "}")] {
            let result = RawJson::from_text(result).unwrap();
            let mut out = Vec::new();
            result_with_prefix(&mut out, &id, prefix, &result).unwrap();
            let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{prefix}{expected}}}"#);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        let mut out = Vec::new();
        assert!(result_with_prefix(&mut out, &id, prefix, &7_i64).is_err());
        assert!(out.is_empty());
    }

    #[test]
    fn a_request_gets_its_meta() {
        let mut out = Vec::new();
        request_with_meta(&mut out, &RequestId::from(1), "x", r#""a":1"#, &"no object")
            .unwrap_err();
        assert!(out.is_empty());
        let params = serde_json::json!({"n": 1});
        request_with_meta(&mut out, &RequestId::from(1), "x", r#""a":1"#, &params).unwrap();
        assert_eq!(
            out,
            br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":1,"_meta":{"a":1}}}"#
        );
    }

    #[test]
    fn an_unreadable_id_is_null_or_absent() {
        let object = ErrorObject::new(-32700, "Parse error");
        let mut out = Vec::new();
        error(&mut out, ErrorId::Null, &object);
        error(&mut out, ErrorId::Absent, &object);
        assert_eq!(
            out,
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#
        );
    }
}
