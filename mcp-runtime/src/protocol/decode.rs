//! Decodes parameters, and finds the path of a fault.

use std::borrow::Cow;
use std::fmt::Write as _;

use mcp_types::{Misfit, RawJsonRef, Revision};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::RequestError;

/// Decodes the parameters of a known method. Absent parameters are the same as an empty object.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] with the path of the first fault, such as
/// `params.clientInfo.name`.
pub(crate) fn decode_params<'a, T: Deserialize<'a>>(
    params: Option<RawJsonRef<'a>>,
) -> Result<T, RequestError> {
    let params = params.unwrap_or(RawJsonRef::empty_object());
    let decoded = params.parse();
    decoded.map_err(|error| invalid_params("params", params.get(), &error))
}

/// Decodes `json`, the part of the parameters at `path`, as the type called `name`. Malformed
/// optional members are ignored, because they only describe the client.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] with the path of the first fault that can't be ignored.
pub(super) fn decode_leniently<T: DeserializeOwned>(
    json: RawJsonRef<'_>,
    path: &str,
    name: &str,
    revision: Revision,
) -> Result<T, RequestError> {
    if let Ok(value) = json.parse() {
        return Ok(value);
    }
    let read = mcp_types::read(json, name, revision);
    let (value, misfits) = read.map_err(|misfit| misplaced(path, misfit))?;
    for misfit in misfits {
        tracing::debug!(path, %misfit, "ignoring a malformed member that describes the client");
    }
    Ok(value)
}

pub(crate) fn misplaced(path: &str, misfit: Misfit) -> RequestError {
    let mut whole = "params".to_owned();
    for part in [path, &misfit.path] {
        whole.extend((!part.is_empty()).then_some('.'));
        whole.push_str(part);
    }
    RequestError::InvalidParams {
        path: whole,
        reason: misfit.reason,
    }
}

/// Decodes the member `name` of the parameters, if there is one.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] with the path of the first fault.
pub(super) fn optional<'a, T: Deserialize<'a>>(
    raw: Option<RawJsonRef<'a>>,
    name: &str,
) -> Result<Option<T>, RequestError> {
    let Some(raw) = raw else { return Ok(None) };
    let decoded = raw.parse().map(Some);
    decoded.map_err(|error| invalid_params(&format!("params.{name}"), raw.get(), &error))
}

/// Decodes the member `name` of the parameters.
///
/// # Errors
///
/// [`RequestError::InvalidParams`] when it is missing, or with the path of the first fault.
pub(super) fn required<'a, T: Deserialize<'a>>(
    raw: Option<RawJsonRef<'a>>,
    name: &str,
) -> Result<T, RequestError> {
    optional(raw, name)?.ok_or_else(|| RequestError::InvalidParams {
        path: format!("params.{name}"),
        reason: "missing".to_owned(),
    })
}

/// A string that is borrowed unless it has escapes. A plain `Cow` would always be owned.
#[derive(Deserialize)]
pub(super) struct BorrowedText<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

pub(crate) fn invalid_params(path: &str, text: &str, error: &serde_json::Error) -> RequestError {
    let mut path = path.to_owned();
    locate(text, error, &mut path);
    let reason = reason(error);
    let of_member = |name: &str, reason: &str| RequestError::InvalidParams {
        path: format!("{path}.{name}"),
        reason: reason.to_owned(),
    };
    if let Some(name) = field(&reason, "missing") {
        return of_member(name, "missing");
    }
    if let Some(name) = field(&reason, "duplicate") {
        return of_member(name, "the member occurs twice");
    }
    RequestError::InvalidParams { path, reason }
}

/// Returns the message without the position, which is meaningless for a message on a single line.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message,
    }
}

/// Returns the name of the member from serde's message about a `fault` such as "missing".
fn field<'a>(reason: &'a str, fault: &str) -> Option<&'a str> {
    let name = reason.strip_prefix(fault)?.strip_prefix(" field `")?;
    name.strip_suffix('`')
}

/// Appends to `path` the path of the innermost member or element of `text` that `error` is about.
///
/// serde reports only the position of an error. To keep decoding fast, the path is searched only
/// after an error.
pub(crate) fn locate(text: &str, error: &serde_json::Error, path: &mut String) {
    if let Some(offset) = offset(text, error)
        && let Ok(json) = RawJsonRef::from_text(text)
    {
        descend(json, text.as_ptr().addr() + offset, path);
    }
}

/// Returns how many bytes of `text` had been read when `error` occurred.
fn offset(text: &str, error: &serde_json::Error) -> Option<usize> {
    let line = error.line().checked_sub(1)?;
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    Some(before + error.column())
}

/// Descends to the innermost part of `json` that contains the address `at`.
fn descend(json: RawJsonRef<'_>, at: usize, path: &mut String) {
    let is_hit = |part: RawJsonRef<'_>| {
        let start = part.get().as_ptr().addr();
        (start..=start + part.get().len()).contains(&at)
    };
    let mut hit = None;
    if let Ok(members) = json.members() {
        let mut members = members.into_iter();
        if let Some((name, member)) = members.find(|(_, member)| is_hit(*member)) {
            _ = write!(path, ".{name}");
            hit = Some(member);
        }
    } else if let Ok(elements) = json.elements()
        && let Some(index) = elements.iter().position(|element| is_hit(*element))
    {
        _ = write!(path, "[{index}]");
        hit = Some(elements[index]);
    }
    if let Some(inner) = hit {
        descend(inner, at, path);
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::CompleteRequestParams;

    use serde::Deserialize;

    use super::*;

    fn fault(params: &str) -> String {
        let params: RawJsonRef<'_> = serde_json::from_str(params).unwrap();
        decode_params::<CompleteRequestParams>(Some(params))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_fault_is_named_by_its_path() {
        assert_eq!(fault("{}"), "Invalid params: params.argument: missing");
        assert_eq!(
            fault(r#"{"argument":{}}"#),
            "Invalid params: params.argument.name: missing"
        );
        assert_eq!(
            fault(r#"{"argument":{"name":1}}"#),
            "Invalid params: params.argument.name: invalid type: integer `1`, expected a string"
        );
    }

    #[test]
    fn absent_params_are_an_empty_object() {
        let missing = decode_params::<CompleteRequestParams>(None).unwrap_err();
        let words = "Invalid params: params.argument: missing";
        assert_eq!(missing.to_string(), words);
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Shelf {
        books: Vec<Book>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only decoded")]
    struct Book {
        pages: u32,
    }

    fn path(text: &str) -> String {
        let error = serde_json::from_str::<Shelf>(text).unwrap_err();
        let mut path = "shelf".to_owned();
        locate(text, &error, &mut path);
        path
    }

    #[test]
    fn a_fault_is_found_in_members_and_elements() {
        let text = "{ \"books\": [ {\"pages\": 1},\n {\"pages\": \"x\"} ] }";
        assert_eq!(path(text), "shelf.books[1].pages");
        assert_eq!(path(r#"{"books":[{"pages":1},{}]}"#), "shelf.books[1]");
        assert_eq!(path(r#"{"books":7}"#), "shelf.books");
    }

    #[test]
    fn a_fault_of_the_whole_is_found_nowhere_inside() {
        assert_eq!(path("{}"), "shelf");
        assert_eq!(path(r#"{"other":[1]}"#), "shelf");
        assert_eq!(path("[]"), "shelf");
    }
}
