//! Validates request headers that repeat members of the body (2026-07-28, "Streamable HTTP",
//! section "Request Metadata").

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::{CallToolRequest, GetPromptRequest, ReadResourceRequest, Request, integer_digits};

use crate::error::RequestError;
use crate::protocol::{NamedRevision, OwnMethod, ParamHeader, RequestParams, StrictJson};
use crate::transport::http::headers::{
    BASE64_PREFIX, BASE64_SUFFIX, METHOD, NAME, PROTOCOL_VERSION, Repeated, only,
};

/// Returns the revision that the header `MCP-Protocol-Version` names.
pub(super) fn named_revision(headers: &HeaderMap) -> NamedRevision {
    let value = match only(headers, &PROTOCOL_VERSION) {
        Ok(Some(value)) => value,
        Ok(None) => return NamedRevision::Absent,
        Err(Repeated) => return NamedRevision::Unknown,
    };
    let text = value.to_str().unwrap_or_default();
    let revision = text.trim().parse();
    revision.map_or(NamedRevision::Unknown, NamedRevision::Known)
}

/// Checks the headers that every stateless request has. A version that is missing in the body is
/// reported as an error of the body, not of the header.
///
/// # Errors
///
/// [`RequestError::HeaderMismatch`] with the name of the header.
pub(super) fn check(
    headers: &HeaderMap,
    method: &str,
    params: &RequestParams<'_>,
    own_methods: &[OwnMethod],
) -> Result<(), RequestError> {
    let version = params.meta.protocol_version;
    let version = version.and_then(|raw| raw.parse::<Cow<'_, str>>().ok());
    let is_same = |text: &str| version.as_ref().is_none_or(|version| text == version);
    check_header(headers, &PROTOCOL_VERSION, plain, Some(is_same))?;
    check_header(headers, &METHOD, plain, Some(|text: &str| text == method))?;
    let named = match method {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.name(),
        ReadResourceRequest::METHOD => params.uri(),
        // Clients of extensions omit the header, and a missing header misleads nobody.
        _ if !headers.contains_key(&NAME) => return Ok(()),
        _ => match named_by(method, params, own_methods) {
            Some(named) => Ok(named),
            None => return Ok(()),
        },
    };
    // A name that is not a string is refused with the other errors of the parameters.
    named.map_or(Ok(()), |named| {
        check_header(headers, &NAME, decoded, Some(|text: &str| text == named))
    })
}

/// Returns the parameter that `Mcp-Name` repeats in a request for an extension's method.
fn named_by<'a>(
    method: &str,
    params: &RequestParams<'a>,
    own_methods: &[OwnMethod],
) -> Option<Cow<'a, str>> {
    let member = OwnMethod::find(own_methods, method)?.method.parameter()?;
    params.raw?.member(member)?.parse().ok()
}

/// Checks the `Mcp-Param-*` headers of a call.
///
/// # Errors
///
/// [`RequestError::HeaderMismatch`] with the name of the header.
pub(super) fn check_params(
    headers: &HeaderMap,
    params: &[ParamHeader],
    arguments: &StrictJson<'_>,
) -> Result<(), RequestError> {
    for param in params {
        let Ok(name) = HeaderName::try_from(&param.name) else {
            continue;
        };
        let argument = arguments.get(&param.path);
        let argument = argument.filter(|value| !matches!(value, StrictJson::Null));
        let is_same = argument.map(|argument| |text: &str| is_same(text, argument));
        check_header(headers, &name, decoded, is_same)?;
    }
    Ok(())
}

/// Checks one header, whose value `read` decodes. If `is_same` is `None`, the header must be
/// absent.
fn check_header(
    headers: &HeaderMap,
    name: &HeaderName,
    read: fn(&HeaderValue) -> Result<Cow<'_, str>, &'static str>,
    is_same: Option<impl Fn(&str) -> bool>,
) -> Result<(), RequestError> {
    let value = only(headers, name).map_err(|Repeated| "it is given more than once");
    let text = value.and_then(|value| value.map(read).transpose());
    let fault = match (text, is_same) {
        (Ok(None), None) => return Ok(()),
        (Ok(None), Some(_)) => "is missing".to_owned(),
        (Ok(Some(text)), Some(is_same)) if is_same(&text) => return Ok(()),
        (Ok(Some(text)), _) => format!("is `{text}`, which differs from the body"),
        (Err(reason), _) => format!("can't be read: {reason}"),
    };
    let fault = format!("the header `{}` {fault}", Title(name));
    Err(RequestError::HeaderMismatch(fault))
}

/// Returns true if a header repeats an argument. Integers are compared as integers of any length.
fn is_same(text: &str, argument: &StrictJson<'_>) -> bool {
    match argument {
        StrictJson::String(string) => text == string,
        StrictJson::Bool(flag) => text == if *flag { "true" } else { "false" },
        StrictJson::Number(number) => match integer_digits(number) {
            Some(digits) => integer(text).is_some_and(|said| *said == *digits),
            None => text == *number,
        },
        StrictJson::Null | StrictJson::Array(_) | StrictJson::Object(_) => false,
    }
}

/// Parses an integer: an optional sign, decimal digits without leading zeros, and optionally a
/// fraction of zeros.
fn integer(text: &str) -> Option<Cow<'_, str>> {
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = integer.strip_prefix('-').unwrap_or(integer);
    let is_plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_canonical = digits == "0" || !digits.starts_with('0');
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    (is_plain && is_canonical && is_whole).then(|| integer_digits(integer))?
}

/// Returns the value of a header without decoding it.
///
/// # Errors
///
/// When the value is not plain ASCII.
fn plain(value: &HeaderValue) -> Result<Cow<'_, str>, &'static str> {
    let text = value
        .to_str()
        .map_err(|_| "it holds characters that are not plain ASCII")?;
    Ok(Cow::Borrowed(text.trim_matches([' ', '\t'])))
}

/// Returns the value of `Mcp-Name` or `Mcp-Param-*`, decoded if it is encoded (2026-07-28,
/// "Streamable HTTP", section "Value Encoding").
///
/// # Errors
///
/// When the value is not plain ASCII, or its Base64 is malformed or does not hold UTF-8.
fn decoded(value: &HeaderValue) -> Result<Cow<'_, str>, &'static str> {
    let text = plain(value)?;
    let encoded = text
        .strip_prefix(BASE64_PREFIX)
        .and_then(|rest| rest.strip_suffix(BASE64_SUFFIX));
    let Some(encoded) = encoded else {
        return Ok(text);
    };
    let bytes = STANDARD
        .decode(encoded)
        .map_err(|_| "its Base64 is malformed")?;
    let text = String::from_utf8(bytes).map_err(|_| "its Base64 does not hold UTF-8")?;
    Ok(Cow::Owned(text))
}

/// Displays the name of a header as people write it, such as `Mcp-Param-Region`.
struct Title<'a>(&'a HeaderName);

impl fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

    #[test]
    fn encoded_values_are_decoded() {
        let text = |value| decoded(&HeaderValue::from_static(value)).map(Cow::into_owned);
        for (value, expected) in [
            ("us-west1", "us-west1"),
            ("  padded\t", "padded"),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
            ("=?base64?IHBhZGRlZCA=?=", " padded "),
            ("=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
            ("SGVsbG8=", "SGVsbG8="),
        ] {
            assert_eq!(text(value).as_deref(), Ok(expected), "{value}");
        }
        for broken in [
            "=?base64?SGVsbG8?=",
            "=?base64?SGVs!!!bG8=?=",
            "=?base64?/w==?=",
        ] {
            assert!(text(broken).is_err(), "{broken}");
        }
        let raw = HeaderValue::from_bytes(b"caf\xe9").unwrap();
        assert!(decoded(&raw).is_err());
    }

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
        let version = ("mcp-protocol-version", "2026-07-28");
        let params = json!({"name": "query"}).to_string();
        let params = mcp_types::RawJsonRef::from_text(&params).unwrap();
        let params = RequestParams::read(Some(params)).unwrap();
        for (repeated, name) in [(usual[0], "`Mcp-Method`"), (usual[1], "`Mcp-Name`")] {
            let headers = map(&[version, usual[0], usual[1], repeated]);
            let fault = fault(check(&headers, "tools/call", &params, &[])).unwrap();
            assert!(
                fault.contains(name) && fault.contains("more than once"),
                "{fault}"
            );
        }
    }
}
