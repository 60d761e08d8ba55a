//! The headers of MCP and their values, for servers and clients.

use std::net::Ipv6Addr;

use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) static PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) static NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// Precedes the Base64 form of a value that is not plain ASCII (2026-07-28, "Streamable HTTP",
/// section "Value Encoding"). [`BASE64_SUFFIX`] follows it.
pub(super) const BASE64_PREFIX: &str = "=?base64?";
pub(super) const BASE64_SUFFIX: &str = "?=";

/// Returns true if a header's value is `media_type`, with any parameters.
pub(super) fn is_media_type(value: &[u8], media_type: &str) -> bool {
    essence(value).eq_ignore_ascii_case(media_type.as_bytes())
}

/// Returns a media type without its parameters (RFC 9110, section 8.3.1).
fn essence(value: &[u8]) -> &[u8] {
    split(value, b';').next().unwrap_or_default()
}

/// Splits a header's value. Separators in a quoted string do not count (RFC 9110, section 5.6.4).
fn split(value: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    // Only few values have quotes, but every request has values to split.
    let has_quotes = value.contains(&b'"');
    let mut quoted = false;
    let mut escaped = false;
    let parts = value.split(move |byte| {
        if has_quotes {
            quoted ^= *byte == b'"' && !escaped;
            escaped = quoted && *byte == b'\\' && !escaped;
        }
        *byte == separator && !quoted
    });
    parts.map(<[u8]>::trim_ascii)
}

/// A header that may be sent only once was repeated.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repeated;

/// Returns the value of a header that may be sent only once.
///
/// # Errors
///
/// When the header is repeated, because a gateway in front of the server may have used another of
/// the values.
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

/// Returns true if `Content-Type` says that the body is JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let value = only(headers, &CONTENT_TYPE).ok().flatten();
    value.is_some_and(|value| is_media_type(value.as_bytes(), JSON))
}

/// Returns true if the client accepts `media_type`. The most specific range that matches decides,
/// and a weight of 0 excludes the type (RFC 9110, sections 12.4.2 and 12.5.1). Without `Accept`, a
/// client accepts every type.
pub(super) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let kind = media_type.split('/').next().unwrap_or_default();
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    let ranges = values.flat_map(|value| split(value.as_bytes(), b','));
    let matching = ranges.filter_map(|range| {
        let essence = essence(range);
        let specificity = match essence.strip_suffix(b"/*") {
            Some(b"*") => 0,
            Some(any) if any.eq_ignore_ascii_case(kind.as_bytes()) => 1,
            None if essence.eq_ignore_ascii_case(media_type.as_bytes()) => 2,
            _ => return None,
        };
        let has_parameters = essence.len() < range.len();
        let is_excluded = has_parameters && split(range, b';').any(is_zero_weight);
        Some((specificity, !is_excluded))
    });
    matching
        .max()
        .is_some_and(|(_, is_acceptable)| is_acceptable)
}

/// Returns true if a parameter is a weight of 0. Malformed weights exclude nothing.
fn is_zero_weight(parameter: &[u8]) -> bool {
    let [b'q' | b'Q', b'=', weight @ ..] = parameter else {
        return false;
    };
    matches!(weight, b"0" | b"0." | b"0.0" | b"0.00" | b"0.000")
}

/// Returns the host of `host[:port]`. The host may be an IPv6 address in brackets.
pub(super) fn host_of(authority: &str) -> Option<&str> {
    let end = match authority.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, port) = authority.split_at(end);
    let port = port
        .strip_prefix(':')
        .or_else(|| port.is_empty().then_some(""))?;
    port.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(host)
}

/// Returns true if a request can have this host. `host` must be in lower case and have no port.
pub(super) fn is_host(host: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    match host.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.bytes().all(allowed),
    }
}

/// Returns true if a page can have this origin, which must be in lower case. Browsers omit the
/// default port.
pub(super) fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else {
        return origin == "null";
    };
    let default = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => ":",
    };
    let has_port = !authority.ends_with(':') && !authority.ends_with(default);
    !scheme.is_empty() && has_port && host_of(authority).is_some_and(is_host)
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
    fn a_weight_of_zero_excludes_a_type() {
        for (value, accepted) in [
            ("application/json;q=0", false),
            ("application/json ; Q=0.000, text/event-stream", false),
            ("application/json; charset=utf-8; q=0", false),
            ("*/*, application/json;q=0", false),
            ("application/json;q=0, application/*", false),
            ("*/*, application/*;q=0.0", false),
            ("*/*;q=0", false),
            ("*/*;q=0, application/*;q=0, application/json", true),
            ("*/*;q=0, application/*;q=0.1", true),
            ("application/json;q=0, application/json", true),
            ("application/json;q=0.001", true),
            // Malformed weights and other parameters.
            ("application/json;q=", true),
            ("application/json;q=0.0000", true),
            ("application/json;q=-0", true),
            ("application/json;quality=0", true),
            (r#"application/json;profile="a;q=0,b""#, true),
            (r#"application/json;profile="\",";q=0"#, false),
            (r#"text/html;x=", application/json""#, false),
        ] {
            let headers = headers(ACCEPT, value);
            assert_eq!(accepts(&headers, JSON), accepted, "{value}");
        }
        let mut lines = headers(ACCEPT, "*/*");
        lines.append(ACCEPT, HeaderValue::from_static("application/json;q=0"));
        assert!(!accepts(&lines, JSON));
        assert!(accepts(&lines, EVENT_STREAM));
    }
}
