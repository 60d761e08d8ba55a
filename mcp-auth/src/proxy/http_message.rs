//! Requests to and responses of the endpoints.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HeaderName, HeaderValue,
    LOCATION, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Request, Response, StatusCode};
use serde_json::{Value, json};

use crate::limits::server::STORE_PAUSE;
use crate::util::StoreFailed;

/// The parameters of a query or a form. A parameter may occur only once, and an empty one is
/// treated as missing (RFC 6749 §3.1).
pub(super) struct Parameters(HashMap<String, String>);

impl Parameters {
    /// Parses parameters. Returns `None` if a parameter is repeated, except `resource` with equal
    /// values (RFC 8707 §2).
    fn parse(encoded: &[u8]) -> Option<Self> {
        let mut all = HashMap::new();
        let pairs = form_urlencoded::parse(encoded).into_owned();
        for (name, value) in pairs.filter(|(_, value)| !value.is_empty()) {
            let before = all.insert(name.clone(), value.clone());
            if before.is_some_and(|before| name != "resource" || before != value) {
                return None;
            }
        }
        Some(Self(all))
    }

    pub(super) fn of_query(request: &Request<Bytes>) -> Option<Self> {
        Self::parse(request.uri().query().unwrap_or_default().as_bytes())
    }

    pub(super) fn of_form(request: &Request<Bytes>) -> OAuthResult<Self> {
        let text = "the body must be application/x-www-form-urlencoded, with each parameter once";
        let is_form = has_type(request, "application/x-www-form-urlencoded");
        let form = is_form.then(|| Self::parse(request.body())).flatten();
        form.ok_or(OAuthError::new("invalid_request", text))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

pub(super) fn has_type(request: &Request<Bytes>, media_type: &str) -> bool {
    let value = request.headers().get(CONTENT_TYPE);
    let found = value.and_then(|it| it.to_str().ok()?.split(';').next());
    found.is_some_and(|it| it.trim().eq_ignore_ascii_case(media_type))
}

/// The value of a cookie (RFC 6265 §5.4). Cookies of other applications may contain any bytes. Only
/// ASCII spaces are trimmed: browsers treat other spaces as part of the name, so the prefix of such
/// a name is not protected.
pub(super) fn cookie<'a>(request: &'a Request<Bytes>, name: &str) -> Option<&'a str> {
    let values = request.headers().get_all(COOKIE).iter();
    let mut pairs = values.flat_map(|it| it.as_bytes().split(|byte| *byte == b';'));
    let find = |pair: &'a [u8]| str::from_utf8(pair.trim_ascii()).ok()?.strip_prefix(name);
    pairs.find_map(|pair| find(pair)?.strip_prefix('='))
}

pub(super) type OAuthResult<T> = Result<T, OAuthError>;

/// An OAuth error (RFC 6749 §4.1.2.1, §5.2).
#[derive(Debug)]
pub(super) struct OAuthError {
    pub(super) code: &'static str,
    pub(super) text: &'static str,
}

impl OAuthError {
    pub(super) fn new(code: &'static str, text: &'static str) -> Self {
        Self { code, text }
    }

    pub(super) fn grant(text: &'static str) -> Self {
        Self::new("invalid_grant", text)
    }

    pub(super) fn unless(self, is_right: bool) -> Result<(), Self> {
        if is_right { Ok(()) } else { Err(self) }
    }

    /// An error that the client did not cause. It is logged.
    pub(super) fn internal(error: impl fmt::Display) -> Self {
        mcp_runtime::log::error!(%error, "the proxy can't serve a login");
        StoreFailed.into()
    }

    /// The provider will not issue any more tokens for a login.
    pub(super) fn ended(reason: impl fmt::Display) -> Self {
        tracing::info!(%reason, "a login at the provider has failed or ended");
        Self::grant("the login at the provider has failed or ended")
    }

    pub(super) fn response(&self) -> Response<Bytes> {
        let body = json!({"error": self.code, "error_description": self.text});
        if self.code != "temporarily_unavailable" {
            return json(StatusCode::BAD_REQUEST, &body);
        }
        let mut response = json(StatusCode::SERVICE_UNAVAILABLE, &body);
        let pause = HeaderValue::from(STORE_PAUSE.as_secs());
        response.headers_mut().insert(RETRY_AFTER, pause);
        response
    }
}

impl From<StoreFailed> for OAuthError {
    fn from(_: StoreFailed) -> Self {
        Self::new("temporarily_unavailable", "try again later")
    }
}

impl<E: Error> From<E> for OAuthError {
    fn from(error: E) -> Self {
        Self::internal(error)
    }
}

/// A response that is not cached or framed and does not leak its URL to other sites.
pub(super) fn response(status: StatusCode, kind: &'static str, body: String) -> Response<Bytes> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let policy = "default-src 'none'; frame-ancestors 'none'";
    let headers = response.headers_mut();
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, policy),
        (CONTENT_TYPE, kind),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A plain-text response for the person, without a redirect.
pub(super) fn refused(status: StatusCode, text: &str) -> Response<Bytes> {
    response(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

pub(super) fn json(status: StatusCode, value: &Value) -> Response<Bytes> {
    response(status, "application/json", value.to_string())
}

/// A response without a body and with an additional header.
pub(super) fn with_header(status: StatusCode, name: HeaderName, value: &str) -> Response<Bytes> {
    let mut response = response(status, "text/plain", String::new());
    // The URLs were checked before, and the parameters appended to them are encoded.
    let value = HeaderValue::try_from(value).map(|value| (name, value));
    response.headers_mut().extend(value);
    response
}

/// Redirects a browser to a URL with GET (RFC 9700 §4.12).
pub(super) fn redirect(url: &str) -> Response<Bytes> {
    with_header(StatusCode::SEE_OTHER, LOCATION, url)
}

/// Sets a cookie for `seconds`; 0 removes it. The names have the prefix `__Host-`, so only this
/// host can have set such a cookie.
pub(super) fn set_cookie(response: &mut Response<Bytes>, name: &str, value: &str, seconds: u64) {
    let rest = "Path=/; Secure; HttpOnly; SameSite=Lax";
    // Names and values are base64url, which is valid in a header.
    let cookie = HeaderValue::try_from(format!("{name}={value}; Max-Age={seconds}; {rest}"));
    let cookie = cookie.map(|cookie| (SET_COOKIE, cookie));
    response.headers_mut().extend(cookie);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_there_once() {
        let parsed = Parameters::parse(b"a=1&b=&c=x%20y&b=2").unwrap();
        assert_eq!(parsed.get("a"), Some("1"));
        assert_eq!(parsed.get("b"), Some("2"));
        assert_eq!(parsed.get("c"), Some("x y"));
        assert_eq!(parsed.get("d"), None);
        for twice in ["a=1&a=1", "a=1&%61=2", "resource=a&resource=b"] {
            assert!(Parameters::parse(twice.as_bytes()).is_none(), "{twice}");
        }
        assert!(Parameters::parse(b"resource=a&resource=a").is_some());
    }

    #[test]
    fn cookies_are_found_by_their_whole_name() {
        let mut request = Request::new(Bytes::new());
        let headers = request.headers_mut();
        headers.append(COOKIE, "xa=1; a=2;b=3".parse().unwrap());
        headers.append(COOKIE, "c=4=5".parse().unwrap());
        assert_eq!(cookie(&request, "a"), Some("2"));
        assert_eq!(cookie(&request, "b"), Some("3"));
        assert_eq!(cookie(&request, "c"), Some("4=5"));
        assert_eq!(cookie(&request, "A"), None);
    }
}
