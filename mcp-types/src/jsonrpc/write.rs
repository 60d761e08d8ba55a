//! Whole messages, appended to a byte buffer on one line.

use serde_json::Error;

use super::members::add_to_meta;
use super::{ErrorObject, RequestId};
use crate::json::{self, Encode, append_encoded};

/// Where the id of an error response comes from.
#[derive(Clone, Copy, Debug)]
pub enum ErrorId<'a> {
    /// The request's id is known.
    Of(&'a RequestId),
    /// It could not be read: `null`, as JSON-RPC 2.0 has it.
    Null,
    /// It could not be read: left out, as revision 2026-07-28 has it.
    Absent,
}

/// Appends a value, such as a result that is written once and sent often.
///
/// It is what `serde_json::to_writer` writes, on one line and in a fraction of the time. Names of
/// fields are copied as constants. What remains beside the copying is one look at each string, for
/// what is to be escaped, and at raw JSON, for line breaks, both sixteen bytes at a time: a list of
/// fifty tools takes about two instructions a byte.
///
/// ```
/// use mcp_types::RawJson;
/// use mcp_types::jsonrpc::write;
///
/// let mut out = Vec::new();
/// write::value(&mut out, &RawJson::from_text("[1,\n2]").unwrap());
/// assert_eq!(out, b"[1, 2]");
/// ```
pub fn value(out: &mut Vec<u8>, value: &dyn Encode) {
    append_encoded(out, value);
}

/// Appends a request.
pub fn request(out: &mut Vec<u8>, id: &RequestId, method: &str, params: Option<&dyn Encode>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    append_encoded(out, id);
    out.extend_from_slice(br#","method":"#);
    call(out, method, params);
}

/// Appends a request whose `params._meta` has further members: `members` is what stands between
/// the braces of a JSON object, and must not be empty.
///
/// # Errors
///
/// When `params` is no object; then the buffer is left as it was.
pub fn request_with_meta(
    out: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    members: &str,
    params: &dyn Encode,
) -> serde_json::Result<()> {
    let before = out.len();
    request(out, id, method, None);
    out.pop();
    out.extend_from_slice(br#","params":"#);
    let start = out.len();
    append_encoded(out, params);
    match add_to_meta(out, start, members) {
        Ok(()) => out.push(b'}'),
        Err(fault) => {
            out.truncate(before);
            return Err(fault);
        }
    }
    Ok(())
}

/// Appends a notification.
pub fn notification(out: &mut Vec<u8>, method: &str, params: Option<&dyn Encode>) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    call(out, method, params);
}

/// Appends a response with a result.
pub fn result(out: &mut Vec<u8>, id: &RequestId, result: &dyn Encode) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    append_encoded(out, id);
    out.extend_from_slice(br#","result":"#);
    append_encoded(out, result);
    out.push(b'}');
}

/// Appends a response whose result begins with members that were written before: `prefix` is an
/// object without its closing brace, and must have a member.
///
/// # Errors
///
/// When `result` is not an object; then the buffer is left as it was.
pub fn result_with_prefix(
    out: &mut Vec<u8>,
    id: &RequestId,
    prefix: &str,
    result: &dyn Encode,
) -> serde_json::Result<()> {
    let before = out.len();
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    append_encoded(out, id);
    out.extend_from_slice(br#","result":"#);
    json::append_raw(out, prefix);
    let start = out.len();
    append_encoded(out, result);
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

#[cold]
pub(super) fn no_object() -> Error {
    serde::ser::Error::custom("a result must be an object")
}

/// Appends a response with an error.
pub fn error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    match id {
        ErrorId::Of(id) => {
            out.extend_from_slice(br#","id":"#);
            append_encoded(out, id);
        }
        ErrorId::Null => out.extend_from_slice(br#","id":null"#),
        ErrorId::Absent => {}
    }
    out.extend_from_slice(br#","error":"#);
    append_encoded(out, error);
    out.push(b'}');
}

fn call(out: &mut Vec<u8>, method: &str, params: Option<&dyn Encode>) {
    append_encoded(out, method);
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        append_encoded(out, params);
    }
    out.push(b'}');
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
            br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"a":1},"n":1}}"#
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
