//! The bodies of responses.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::Uri;
use http::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::response::Parts;
use http_body::Body as _;
use hyper::body::Incoming;

use crate::error::{HttpError, without_secrets};
use crate::limits::EXCERPT_CHARS;

pub(super) async fn next_bytes(body: &mut Incoming) -> Option<hyper::Result<Bytes>> {
    loop {
        let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
        // Trailers are skipped.
        let data = frame.map(|frame| frame.into_data().ok());
        if let Some(data) = data.transpose() {
            return Some(data);
        }
    }
}

/// Marks the response to a redirect that was not followed because there were too many.
#[derive(Clone)]
pub(super) struct TooManyRedirects;

/// The body of a response that was read before the response was passed on; the flag is true if the
/// body is complete.
#[derive(Clone)]
pub(super) struct BodyRead(pub(super) Vec<u8>, pub(super) bool);

/// The value of `Accept-Encoding`: the client does not decompress.
pub(super) const UNCOMPRESSED: HeaderValue = HeaderValue::from_static("identity");

/// Explains why a body can't be read if it has a content coding, such as `gzip`.
pub(super) fn compressed(headers: &HeaderMap) -> Option<String> {
    let codings = headers.get_all(CONTENT_ENCODING).iter();
    let mut codings = codings.map(|value| value.as_bytes().trim_ascii());
    let coding = codings.find(|it| !it.is_empty() && !it.eq_ignore_ascii_case(b"identity"))?;
    let coding = String::from_utf8_lossy(coding);
    Some(format!(
        "it is compressed (`Content-Encoding: {coding}`), although the request accepts only \
         `identity`: this is a fault of the server or of a proxy in front of it"
    ))
}

/// Returns how long a server asks to wait with `Retry-After`, which holds seconds or a date (RFC
/// 9110, section 10.2.3). `None` also for a header that can't be parsed.
///
/// ```
/// use std::time::Duration;
/// use http::HeaderMap;
/// use http::header::{HeaderValue, RETRY_AFTER};
/// use mcp_runtime::transport::http_client::retry_after;
///
/// let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static("5"))]);
/// assert_eq!(retry_after(&headers), Some(Duration::from_secs(5)));
/// ```
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER).map(HeaderValue::to_str)?;
    let value = value.ok()?.trim();
    let seconds = value.parse().map(Duration::from_secs).ok();
    seconds.or_else(|| {
        let date = httpdate::parse_http_date(value).ok()?;
        Some(date.duration_since(SystemTime::now()).unwrap_or_default())
    })
}

/// Returns the error for a response that is not an MCP message. The extensions of the response must
/// hold its URL.
pub(super) fn no_message(parts: &Parts, body: &[u8]) -> HttpError {
    let url = parts.extensions.get::<Uri>();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let header = |name| parts.headers.get(name).map(text);
    let challenges = parts.headers.get_all(WWW_AUTHENTICATE);
    let challenges: Vec<_> = challenges.iter().map(text).collect();
    // A character takes at most four bytes.
    let beginning = String::from_utf8_lossy(&body[..body.len().min(4 * EXCERPT_CHARS)]);
    let excerpt: String = beginning.trim().chars().take(EXCERPT_CHARS).collect();
    let excerpt = compressed(&parts.headers).unwrap_or(excerpt);
    HttpError {
        status: parts.status.as_u16(),
        url: url.map_or_else(String::new, |url| without_secrets(&url.to_string())),
        content_type: header(CONTENT_TYPE),
        excerpt: excerpt.replace(char::is_control, " "),
        error: None,
        www_authenticate: (!challenges.is_empty()).then(|| challenges.join(", ")),
        location: header(LOCATION).filter(|_| parts.status.is_redirection()),
        too_many_redirects: parts.extensions.get::<TooManyRedirects>().is_some(),
        retry_after: retry_after(&parts.headers),
    }
}
