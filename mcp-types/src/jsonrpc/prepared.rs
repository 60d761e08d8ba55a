//! Results that are serialized once and sent in many responses.

use std::sync::Arc;

use serde::Serialize;

use super::RequestId;
use super::write::{begin_result, no_object, value};

/// A serialized result that is the same for all callers, to be copied into many responses. Cloning is
/// cheap.
///
/// The result has no line breaks, so responses need not be searched for them. For a list of fifty
/// tools, the search would take three times as long as the copy.
///
/// ```
/// use mcp_types::jsonrpc::{PreparedResult, RequestId};
///
/// let result = PreparedResult::new(&mcp_types::EmptyResult::new()).unwrap();
/// let mut line = Vec::new();
/// result.write(&mut line, &RequestId::from(1), "");
/// assert_eq!(line, br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedResult(Arc<str>);

impl PreparedResult {
    /// Serializes `result`.
    ///
    /// # Errors
    ///
    /// When `result` does not serialize to an object.
    pub fn new<T: Serialize + ?Sized>(result: &T) -> serde_json::Result<Self> {
        let mut json = Vec::new();
        value(&mut json, result);
        match String::from_utf8(json) {
            Ok(json) if json.starts_with('{') => Ok(Self(json.into())),
            _ => Err(no_object()),
        }
    }

    /// Returns the JSON text of the result.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }

    /// Appends a response with this result, without a line break.
    ///
    /// `prefix` is empty, or an object with at least one member and without its closing brace. Its
    /// members are written before the members of the result.
    pub fn write(&self, out: &mut Vec<u8>, id: &RequestId, prefix: &str) {
        out.reserve(self.0.len() + prefix.len() + 64);
        self.write_before(out, id, prefix);
        out.extend_from_slice(self.members().as_bytes());
        out.push(b'}');
    }

    /// Appends the part of such a response that precedes the [`members`](Self::members). One more
    /// closing brace must follow them.
    pub fn write_before(&self, out: &mut Vec<u8>, id: &RequestId, prefix: &str) {
        begin_result(out, id);
        out.extend_from_slice(match prefix {
            "" => b"{",
            prefix => prefix.as_bytes(),
        });
        if !prefix.is_empty() && self.members() != "}" {
            out.push(b',');
        }
    }

    /// Returns the result without its opening brace.
    #[must_use]
    pub fn members(&self) -> &str {
        &self.0[1..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RawJson;

    #[track_caller]
    fn check(result: &str, prefix: &str, expected: &str) {
        let result = RawJson::from_text(result).unwrap();
        let mut out = Vec::new();
        let result = PreparedResult::new(&result).unwrap();
        result.write(&mut out, &RequestId::from(1), prefix);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{expected}}}"#);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_prepared_result_stands_on_one_line_behind_its_prefix() {
        check("{}", "", "{}");
        check("{\"a\":\r\n\"\\n\"}", "", r#"{"a":  "\n"}"#);
        check("{}", r#"{"_meta":{}"#, r#"{"_meta":{}}"#);
        check(r#"{"a":1}"#, r#"{"_meta":{}"#, r#"{"_meta":{},"a":1}"#);
    }

    #[test]
    fn only_objects_are_results() {
        assert!(PreparedResult::new(&vec![1_i64]).is_err());
    }
}
