//! The headers that MCP reads and writes, and what clients say in the common ones.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) static PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) static NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Asks nginx and its like to pass on events as they come.
pub(super) static ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

pub(super) const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// Around a value that is not plain ASCII (2026-07-28, "Streamable HTTP", section "Value
/// Encoding").
const BASE64_PREFIX: &str = "=?base64?";
const BASE64_SUFFIX: &str = "?=";

/// A header that says one thing was given more than once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repeated;

/// The value of a header that says one thing.
///
/// # Errors
///
/// When it is given more than once: a gateway in front of the server may have gone by another of
/// the values than the server would.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, Repeated> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    match values.next() {
        None => Ok(value),
        Some(_) => Err(Repeated),
    }
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let value = only(headers, &CONTENT_TYPE).ok().flatten();
    value.is_some_and(|value| is_type(value.as_bytes(), JSON))
}

/// Whether the client takes an answer of `media_type`. One that does not say takes anything.
pub(super) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let Some(kind) = media_type.split('/').next() else {
        return false;
    };
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    values.peek().is_none()
        || values
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .any(|range| {
                is_type(range, media_type)
                    || is_type(range, "*/*")
                    || is_type(range, &Range { kind })
            })
}

/// `kind/*`, compared without building it.
struct Range<'a> {
    kind: &'a str,
}

trait MediaType {
    fn matches(&self, essence: &[u8]) -> bool;
}

impl MediaType for str {
    fn matches(&self, essence: &[u8]) -> bool {
        essence.eq_ignore_ascii_case(self.as_bytes())
    }
}

impl MediaType for Range<'_> {
    fn matches(&self, essence: &[u8]) -> bool {
        let kind = essence.strip_suffix(b"/*");
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case(self.kind.as_bytes()))
    }
}

fn is_type(value: &[u8], media_type: &(impl MediaType + ?Sized)) -> bool {
    let essence = value.split(|byte| *byte == b';').next().unwrap_or_default();
    media_type.matches(essence.trim_ascii())
}

/// The text that a header carries as it is.
///
/// # Errors
///
/// When it is not plain ASCII.
pub(super) fn plain(value: &HeaderValue) -> Result<Cow<'_, str>, &'static str> {
    let text = value
        .to_str()
        .map_err(|_| "it holds characters that are not plain ASCII")?;
    Ok(Cow::Borrowed(text.trim_matches([' ', '\t'])))
}

/// The text that a header carries, decoded where it is encoded: only `Mcp-Name` and `Mcp-Param-*`
/// may be (2026-07-28, "Streamable HTTP", section "Value Encoding").
///
/// # Errors
///
/// What is wrong with the value.
pub(super) fn decoded(value: &HeaderValue) -> Result<Cow<'_, str>, &'static str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn media_types_are_compared_without_parameters_and_case() {
        assert!(is_json(&headers(
            CONTENT_TYPE,
            "Application/JSON; charset=utf-8"
        )));
        assert!(!is_json(&headers(CONTENT_TYPE, "application/jsonl")));
        assert!(!is_json(&HeaderMap::new()));
    }

    #[test]
    fn what_is_said_twice_is_not_said() {
        let mut twice = headers(CONTENT_TYPE, JSON);
        assert_eq!(only(&twice, &CONTENT_TYPE).unwrap().unwrap(), JSON);
        assert_eq!(only(&twice, &METHOD), Ok(None));
        twice.append(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        assert_eq!(only(&twice, &CONTENT_TYPE), Err(Repeated));
        assert!(!is_json(&twice));
    }

    #[test]
    fn ranges_count_as_acceptance() {
        for accepted in ["*/*", "text/html, application/*;q=0.5", "application/json"] {
            assert!(accepts(&headers(ACCEPT, accepted), JSON), "{accepted}");
        }
        for refused in [
            "text/event-stream",
            "text/*",
            "",
            "*",
            "application/json-seq",
        ] {
            assert!(!accepts(&headers(ACCEPT, refused), JSON), "{refused}");
        }
        assert!(accepts(&HeaderMap::new(), JSON));
    }

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
}
