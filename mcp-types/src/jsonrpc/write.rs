//! Whole messages, appended to a byte buffer on one line.
//!
//! Each function leaves the buffer as it was when serialising fails.

use serde::Serialize;

use super::members::add_to_meta;
use super::{ErrorObject, RequestId};
use crate::json;

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
/// write::value(&mut out, &RawJson::from_text("[1,\n2]").unwrap()).unwrap();
/// assert_eq!(out, b"[1, 2]");
/// ```
///
/// # Errors
///
/// When it can't be serialised.
pub fn value<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> serde_json::Result<()> {
    message(out, |out| json::append(out, value))
}

/// Appends a request.
///
/// # Errors
///
/// When `params` can't be serialised.
pub fn request<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    message(out, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        json::append(out, id)?;
        out.extend_from_slice(br#","method":"#);
        call(out, method, params)
    })
}

/// Appends a request whose `params._meta` has further members: `members` is what stands between
/// the braces of a JSON object, and must not be empty.
///
/// # Errors
///
/// When `params` can't be serialised, or is no object.
pub fn request_with_meta<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    method: &str,
    members: &str,
    params: &P,
) -> serde_json::Result<()> {
    message(out, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        json::append(out, id)?;
        out.extend_from_slice(br#","method":"#);
        json::append(out, method)?;
        out.extend_from_slice(br#","params":"#);
        let start = out.len();
        json::append(out, params)?;
        add_to_meta(out, start, members)?;
        out.push(b'}');
        Ok(())
    })
}

/// Appends a notification.
///
/// # Errors
///
/// When `params` can't be serialised.
pub fn notification<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    message(out, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
        call(out, method, params)
    })
}

/// Appends a response with a result.
///
/// # Errors
///
/// When `result` can't be serialised.
pub fn result<R: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    result: &R,
) -> serde_json::Result<()> {
    message(out, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        json::append(out, id)?;
        out.extend_from_slice(br#","result":"#);
        json::append(out, result)?;
        out.push(b'}');
        Ok(())
    })
}

/// Appends a response whose result begins with members that were written before: `prefix` is an
/// object without its closing brace, and must have a member.
///
/// # Errors
///
/// When `result` can't be serialised, or is not an object.
pub fn result_with_prefix<R: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    id: &RequestId,
    prefix: &str,
    result: &R,
) -> serde_json::Result<()> {
    message(out, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        json::append(out, id)?;
        out.extend_from_slice(br#","result":"#);
        json::append_raw(out, prefix);
        let start = out.len();
        json::append(out, result)?;
        match &out[start..] {
            b"{}" => {
                out.remove(start);
            }
            [b'{', ..] => out[start] = b',',
            _ => return Err(serde::ser::Error::custom("a result must be an object")),
        }
        out.push(b'}');
        Ok(())
    })
}

/// Appends a response with an error.
///
/// # Errors
///
/// When the error's data can't be serialised, which JSON that was checked never causes.
pub fn error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) -> serde_json::Result<()> {
    message(out, |out| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
        match id {
            ErrorId::Of(id) => {
                out.extend_from_slice(br#","id":"#);
                json::append(out, id)?;
            }
            ErrorId::Null => out.extend_from_slice(br#","id":null"#),
            ErrorId::Absent => {}
        }
        out.extend_from_slice(br#","error":"#);
        json::append(out, error)?;
        out.push(b'}');
        Ok(())
    })
}

fn call<P: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    method: &str,
    params: Option<&P>,
) -> serde_json::Result<()> {
    json::append(out, method)?;
    if let Some(params) = params {
        out.extend_from_slice(br#","params":"#);
        json::append(out, params)?;
    }
    out.push(b'}');
    Ok(())
}

fn message(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    let start = out.len();
    let written = write(out);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn messages_take_one_line() {
        let params = RawValue::from_string("{\n\"a\":\r\n\"\\n\"}".to_owned()).unwrap();
        let mut out = Vec::new();
        request(&mut out, &RequestId::from(1), "ping", Some(&params)).unwrap();
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
            let result: &RawValue = serde_json::from_str(result).unwrap();
            let mut out = Vec::new();
            result_with_prefix(&mut out, &id, prefix, result).unwrap();
            let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{prefix}{expected}}}"#);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        let mut out = Vec::new();
        assert!(result_with_prefix(&mut out, &id, prefix, &7).is_err());
        assert!(out.is_empty());
    }

    #[test]
    fn a_request_gets_its_meta() {
        let mut out = Vec::new();
        request_with_meta(&mut out, &RequestId::from(1), "x", r#""a":1"#, &"no object")
            .unwrap_err();
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
        error(&mut out, ErrorId::Null, &object).unwrap();
        error(&mut out, ErrorId::Absent, &object).unwrap();
        assert_eq!(
            out,
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#
        );
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let unserialisable = std::collections::HashMap::from([((1, 2), 3)]);
        let mut out = b"before".to_vec();
        assert!(result(&mut out, &RequestId::from(1), &unserialisable).is_err());
        assert_eq!(out, b"before");
    }
}
