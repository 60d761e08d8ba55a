//! Headers that repeat what the body says, checked against it (2026-07-28, "Streamable HTTP",
//! section "Request Metadata").

use std::borrow::Cow;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::{
    CallToolRequest, GetPromptRequest, ReadResourceRequest, Request, RequestMetaRef, integer_digits,
};

use super::headers::{self, decoded, plain};
use crate::error::RequestError;
use crate::protocol::{ParamHeader, RequestParams, StrictJson, StrictValue};

/// Checks the headers that every stateless request has, beside the version.
///
/// # Errors
///
/// The error to answer with, naming the header.
pub(super) fn check(
    headers: &HeaderMap,
    method: &str,
    params: &RequestParams<'_>,
) -> Result<(), RequestError> {
    compare(
        &headers::METHOD,
        said(headers, &headers::METHOD)?,
        plain,
        method,
    )?;
    let named = match method {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.name(),
        ReadResourceRequest::METHOD => params.uri(),
        _ => return Ok(()),
    };
    // What is no string is refused with the other faults of the parameters.
    let Ok(named) = named else {
        return Ok(());
    };
    compare(
        &headers::NAME,
        said(headers, &headers::NAME)?,
        decoded,
        &named,
    )
}

/// Checks the `Mcp-Param-*` headers of a call.
///
/// # Errors
///
/// The error to answer with, naming the header.
pub(super) fn check_params(
    headers: &HeaderMap,
    params: &[ParamHeader],
    arguments: &StrictJson<'_>,
) -> Result<(), RequestError> {
    for param in params {
        let Ok(name) = HeaderName::try_from(&param.name) else {
            continue;
        };
        let value = arguments.get(&param.path);
        let value = value.filter(|value| !matches!(value, StrictValue::Null));
        check_param(&name, said(headers, &name)?, value)?;
    }
    Ok(())
}

/// The version that the header names.
///
/// # Errors
///
/// When it is missing, unreadable, or not the one in the body.
pub(super) fn check_version(
    headers: &HeaderMap,
    meta: &RequestMetaRef<'_>,
) -> Result<(), RequestError> {
    let name = &headers::PROTOCOL_VERSION;
    let value = said(headers, name)?.ok_or_else(|| missing(name))?;
    let in_body = meta
        .protocol_version
        .and_then(|raw| raw.parse::<Cow<'_, str>>().ok());
    match in_body {
        Some(in_body) => compare(name, Some(value), plain, &in_body),
        // A version that is missing from the body is a fault of the body.
        None => Ok(()),
    }
}

/// What a header says, which has to be one thing.
fn said<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, RequestError> {
    headers::only(headers, name).map_err(|_| malformed(name, "it is given more than once"))
}

/// Compares a header, read by `read`, with what the body says.
fn compare(
    name: &HeaderName,
    value: Option<&HeaderValue>,
    read: fn(&HeaderValue) -> Result<Cow<'_, str>, &'static str>,
    in_body: &str,
) -> Result<(), RequestError> {
    let value = value.ok_or_else(|| missing(name))?;
    let text = read(value).map_err(|reason| malformed(name, reason))?;
    if text == in_body {
        Ok(())
    } else {
        Err(differs(name, &text))
    }
}

fn check_param(
    name: &HeaderName,
    header: Option<&HeaderValue>,
    argument: Option<&StrictValue<'_>>,
) -> Result<(), RequestError> {
    let text = header
        .map(|value| decoded(value).map_err(|reason| malformed(name, reason)))
        .transpose()?;
    match (text, argument) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(missing(name)),
        (Some(text), None) => Err(differs(name, &text)),
        (Some(text), Some(argument)) if is_same(&text, argument) => Ok(()),
        (Some(text), Some(_)) => Err(differs(name, &text)),
    }
}

/// Whether a header says what an argument says; integers are compared as integers of any length.
fn is_same(text: &str, argument: &StrictValue<'_>) -> bool {
    match argument {
        StrictValue::String(string) => text == string,
        StrictValue::Bool(flag) => text == if *flag { "true" } else { "false" },
        StrictValue::Number(number) => match integer_digits(number) {
            Some(digits) => integer(text).is_some_and(|said| *said == *digits),
            None => text == *number,
        },
        StrictValue::Null | StrictValue::Array(_) | StrictValue::Object(_) => false,
    }
}

/// The integer that a header says: decimal digits without leading zeros, which a sign may precede
/// and a fraction of zeros follow.
fn integer(text: &str) -> Option<Cow<'_, str>> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = integer.strip_prefix('-').unwrap_or(integer);
    let is_plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_canonical = digits == "0" || !digits.starts_with('0');
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    (is_plain && is_canonical && is_whole).then(|| integer_digits(integer))?
}

fn missing(name: &HeaderName) -> RequestError {
    mismatch(format!("the header `{}` is missing", Title(name)))
}

fn malformed(name: &HeaderName, reason: &str) -> RequestError {
    mismatch(format!(
        "the header `{}` can't be read: {reason}",
        Title(name)
    ))
}

fn differs(name: &HeaderName, text: &str) -> RequestError {
    mismatch(format!(
        "the header `{}` says `{text}`, the body something else",
        Title(name)
    ))
}

fn mismatch(reason: String) -> RequestError {
    RequestError::HeaderMismatch(reason)
}

/// A header's name as people write it.
struct Title<'a>(&'a HeaderName);

impl std::fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, word) in self.0.as_str().split('-').enumerate() {
            let (first, rest) = word.split_at(word.len().min(1));
            let dash = if i == 0 { "" } else { "-" };
            write!(f, "{dash}{}{rest}", first.to_ascii_uppercase())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Headers<'a> = &'a [(&'static str, &'static str)];

    fn map(headers: Headers<'_>) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    fn fault(checked: Result<(), RequestError>) -> Option<String> {
        let error = checked.err()?.to_error();
        assert_eq!(error.code, -32020);
        Some(error.message.into_owned())
    }

    /// Checks the headers of a call with these arguments.
    fn check_call(headers: Headers<'_>, arguments: &str) -> Option<String> {
        let params = [
            ("mcp-param-region", &["region"][..]),
            ("mcp-param-rows", &["limits", "rows"]),
        ];
        let params = params.map(|(name, path)| ParamHeader {
            name: name.to_owned(),
            path: path.iter().map(|name| (*name).to_owned()).collect(),
        });
        let arguments = StrictJson::read(arguments, "params.arguments").unwrap();
        fault(check_params(&map(headers), &params, &arguments))
    }

    #[test]
    fn arguments_and_their_headers_agree() {
        let region = ("mcp-param-region", "us");
        assert_eq!(check_call(&[region], r#"{"region": "us"}"#), None);
        assert_eq!(check_call(&[], r#"{"region": null, "plain": "x"}"#), None);
        let encoded = ("mcp-param-rows", "=?base64?NDI=?=");
        assert_eq!(check_call(&[encoded], r#"{"limits": {"rows": 42}}"#), None);
    }

    #[test]
    fn integers_are_compared_as_integers_of_any_length() {
        let long = "123456789012345678901234567890";
        for (header, argument, same) in [
            ("42", "42", true),
            ("42.0", "42", true),
            ("42.", "42", true),
            ("42", "42.0", true),
            ("42", "4.2e1", true),
            ("-7", "-7", true),
            ("-0", "0", true),
            ("0", "-0.0", true),
            (long, long, true),
            ("123456789012345678901234567890.000", long, true),
            ("123456789012345678901234567891", long, false),
            ("9007199254740993", "9007199254740992", false),
            ("+42", "42", false),
            ("042", "42", false),
            ("4.2e1", "42", false),
            ("4.2e1", "4.2e1", false),
            ("42.0000000000000001", "42", false),
            ("42.0000000000000001", "42.0000000000000001", true),
            ("0x2a", "42", false),
            ("", "0", false),
            ("-", "0", false),
            (".0", "0", false),
            ("1.5", "1.5", true),
            ("1.50", "1.5", false),
        ] {
            let arguments = format!(r#"{{"limits":{{"rows":{argument}}}}}"#);
            let fault = check_call(&[("mcp-param-rows", header)], &arguments);
            assert_eq!(fault.is_none(), same, "{header:?} {argument}: {fault:?}");
        }
    }

    #[test]
    fn the_header_at_fault_is_named() {
        for (headers, arguments) in [
            (&[][..], r#"{"region": "us"}"#),
            (&[("mcp-param-region", "eu")][..], r#"{"region": "us"}"#),
            (&[("mcp-param-region", "us")][..], "{}"),
            (&[("mcp-param-region", "us")][..], r#"{"region": ["us"]}"#),
            (
                &[("mcp-param-region", "=?base64?%?=")][..],
                r#"{"region": "%"}"#,
            ),
            (
                &[("mcp-param-region", "us"), ("mcp-param-region", "us")][..],
                r#"{"region": "us"}"#,
            ),
        ] {
            let fault = check_call(headers, arguments).unwrap();
            assert!(fault.contains("`Mcp-Param-Region`"), "{fault}");
        }
    }

    #[test]
    fn a_header_that_is_given_twice_is_at_fault() {
        let usual = [("mcp-method", "tools/call"), ("mcp-name", "query")];
        let params = json!({"name": "query"}).to_string();
        let params = mcp_types::RawJsonRef::from_text(&params).unwrap();
        let params = RequestParams::read(Some(params)).unwrap();
        for (repeated, name) in [(usual[0], "`Mcp-Method`"), (usual[1], "`Mcp-Name`")] {
            let headers = map(&[usual[0], usual[1], repeated]);
            let fault = fault(check(&headers, "tools/call", &params)).unwrap();
            assert!(
                fault.contains(name) && fault.contains("more than once"),
                "{fault}"
            );
        }
    }
}
