//! Headers of MCP and their values, for servers and clients.

use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) static PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) static NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// Encloses a value that is not plain ASCII (2026-07-28, "Streamable HTTP", section "Value
/// Encoding").
pub(super) const BASE64_PREFIX: &str = "=?base64?";
pub(super) const BASE64_SUFFIX: &str = "?=";

/// Returns true if a header's value is of `media_type`, with any parameters.
pub(super) fn is_media_type(value: &[u8], media_type: &str) -> bool {
    essence(value).eq_ignore_ascii_case(media_type.as_bytes())
}

/// Returns a media type without its parameters (RFC 9110, section 8.3.1).
fn essence(value: &[u8]) -> &[u8] {
    let essence = value.split(|byte| *byte == b';').next();
    essence.unwrap_or_default().trim_ascii()
}

/// A header with one value was given more than once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repeated;

/// Returns the value of a header that may be given once.
///
/// # Errors
///
/// When it is given more than once: a gateway in front of the server may have used another of the
/// values than the server would.
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

/// Returns true if the body is JSON, by its header.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let value = only(headers, &CONTENT_TYPE).ok().flatten();
    value.is_some_and(|value| is_media_type(value.as_bytes(), JSON))
}

/// Returns true if the client accepts `media_type`. Without `Accept`, it accepts any.
pub(super) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let kind = media_type.split('/').next().unwrap_or_default();
    let accepts = |range: &[u8]| {
        let range = essence(range);
        match range.strip_suffix(b"/*") {
            Some(any) => any == b"*" || any.eq_ignore_ascii_case(kind.as_bytes()),
            None => range.eq_ignore_ascii_case(media_type.as_bytes()),
        }
    };
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    values.peek().is_none()
        || values
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .any(accepts)
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
}
