//! Checks of callers: `Host`, `Origin`, the access policy, and CORS.

use std::net::SocketAddr;
use std::sync::Arc;

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HOST,
    HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Uri};
use http_body::Body;
use mcp_types::RequestId;

use super::body::{self, ResponseBody};
use super::options::HttpOptions;
use super::response;
use super::state::{Arrival, HttpState, PeerAddr, Permits};
use crate::error::Rejection;
use crate::limits::ENDPOINT_BODY_BYTES;
use crate::transport::http::headers::{host_of, only};

/// Checks `Host` and `Origin`, to keep web pages away from local servers (2026-07-28, "Streamable
/// HTTP", section "Security & Endpoint").
///
/// # Errors
///
/// [`Rejection::Host`] or [`Rejection::Origin`].
pub(crate) fn check_caller(
    uri: &Uri,
    headers: &HeaderMap,
    options: &HttpOptions,
) -> Result<(), Rejection> {
    check_host(uri, headers, options)?;
    let Some(origin) = only(headers, &ORIGIN).map_err(|_| Rejection::Origin)? else {
        return Ok(());
    };
    let origin = origin.to_str().map_err(|_| Rejection::Origin)?;
    if is_local_origin(origin) || is_allowed_origin(origin, options) {
        Ok(())
    } else {
        if options.refusals.origin.is_first() {
            crate::log::warn!(
                ?origin,
                "requests from this origin are refused: to allow them, use `allowed_origins` (this is logged once)"
            );
        }
        Err(Rejection::Origin)
    }
}

fn check_host(uri: &Uri, headers: &HeaderMap, options: &HttpOptions) -> Result<(), Rejection> {
    let Some(allowed) = &options.hosts else {
        return Ok(());
    };
    let host = requested_host(uri, headers).ok_or(Rejection::Host)?;
    if is_local(host) {
        return Ok(());
    }
    let host = host.to_ascii_lowercase();
    if allowed.contains(&host) || options.policy.allows_host(&host)? {
        Ok(())
    } else {
        if options.refusals.host.is_first() {
            crate::log::warn!(
                ?host,
                "requests for this host are refused: if it is the server's, use `allowed_hosts` (this is \
                 logged once)"
            );
        }
        Err(Rejection::Host)
    }
}

/// Lets the access policy answer a request for one of its endpoints. The policy itself checks
/// `Origin`.
///
/// # Errors
///
/// When the request is refused before it reaches the policy, or the policy takes too long or
/// panics.
pub(crate) async fn respond<B: Body>(
    state: &HttpState,
    mut parts: Box<Parts>,
    body: B,
    peer_addr: Option<SocketAddr>,
) -> Result<Response<ResponseBody>, Rejection> {
    if let Some(peer_addr) = peer_addr {
        parts.extensions.insert(PeerAddr(peer_addr));
    }
    let options = &state.options;
    check_host(&parts.uri, &parts.headers, options)?;
    if state.is_ending() {
        return Err(state.refusal());
    }
    if parts.method == Method::OPTIONS && cors_origin(&parts.headers, options).is_some() {
        return Ok(preflight(&parts.headers));
    }
    let mut permit = state.permits.unused(None, peer_addr);
    if !permit.grow(1) {
        return Err(Rejection::Busy);
    }
    let arrival = Arrival { parts, peer_addr };
    let no_response = None::<fn(Option<&RequestId>, String)>;
    let read = body::read(body, ENDPOINT_BODY_BYTES, state, &arrival, no_response);
    let (bytes, _permit) = read.await?;
    let request = Request::from_parts(*arrival.parts, bytes);
    let response = options
        .policy
        .respond(options.auth_timeout, request)
        .await?;
    Ok(response.map(ResponseBody::full))
}

/// Asks the access policy about a request, which is a call in flight meanwhile. `OPTIONS` is
/// always admitted, because pages send it without credentials.
///
/// # Errors
///
/// When the policy denies it, takes too long or panics, or too many calls are in flight.
pub(crate) async fn authorize(
    options: &HttpOptions,
    permits: &Arc<Permits>,
    parts: &mut Parts,
    peer_addr: Option<SocketAddr>,
) -> Result<(), Rejection> {
    if !options.policy.is_set() || parts.method == Method::OPTIONS {
        return Ok(());
    }
    // The future is on the heap because most servers have no policy.
    Box::pin(decide(options, permits, parts, peer_addr)).await
}

async fn decide(
    options: &HttpOptions,
    permits: &Arc<Permits>,
    parts: &mut Parts,
    peer_addr: Option<SocketAddr>,
) -> Result<(), Rejection> {
    let mut permit = permits.unused(parts.extensions.get(), peer_addr);
    if !permit.grow(1) {
        return Err(Rejection::Busy);
    }
    options.policy.admit(options.auth_timeout, parts).await
}

fn is_allowed_origin(origin: &str, options: &HttpOptions) -> bool {
    !options.origins.is_empty() && options.origins.contains(&origin.to_ascii_lowercase())
}

/// Returns the requested host without its port.
fn requested_host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    match uri.authority() {
        Some(authority) => Some(authority.host()),
        None => host_of(only(headers, &HOST).ok()??.to_str().ok()?),
    }
}

fn is_local(host: &str) -> bool {
    matches!(host, "127.0.0.1" | "localhost" | "[::1]") || host.eq_ignore_ascii_case("localhost")
}

fn is_local_origin(origin: &str) -> bool {
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    authority.and_then(host_of).is_some_and(is_local)
}

/// Returns the origin of the page that sent a request, if the page may read the answer. Only
/// configured origins may.
pub(crate) fn cors_origin(headers: &HeaderMap, options: &HttpOptions) -> Option<HeaderValue> {
    if options.origins.is_empty() {
        return None;
    }
    let origin = headers.get(ORIGIN)?;
    is_allowed_origin(origin.to_str().ok()?, options).then(|| origin.clone())
}

/// Lets pages of `origin` read a response with all of its headers, such as session ids, challenges
/// and retry times.
pub(crate) fn allow_origin(response: &mut Response<ResponseBody>, origin: HeaderValue) {
    let headers = response.headers_mut();
    let names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
    if let Ok(names) = HeaderValue::try_from(names.join(", ")) {
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, names);
    }
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(VARY, HeaderValue::from_static("origin"));
}

pub(crate) fn preflight(asked: &HeaderMap) -> Response<ResponseBody> {
    let mut response = response::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static("POST, GET, DELETE");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    // Tools choose the names of their `Mcp-Param-*` headers, so any name is allowed.
    if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(host: &str, origin: Option<&str>, options: &HttpOptions) -> Result<(), Rejection> {
        let mut request = Request::builder().uri("/mcp").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        let request = request.body(()).unwrap();
        check_caller(request.uri(), request.headers(), options)
    }

    #[test]
    fn only_the_local_machine_may_call_unless_configured() {
        let options = HttpOptions::default();
        for host in [
            "localhost",
            "LocalHost:80",
            "127.0.0.1:8080",
            "[::1]:8080",
            "[::1]",
        ] {
            assert_eq!(checked(host, None, &options), Ok(()), "{host}");
        }
        for host in [
            "evil.example.com",
            "localhost.evil.com",
            "127.0.0.1.nip.io",
            "[::2]",
            "[::1",
            "localhost:x",
            "",
        ] {
            assert_eq!(
                checked(host, None, &options),
                Err(Rejection::Host),
                "{host}"
            );
        }
    }

    #[test]
    fn pages_of_other_origins_are_refused_unless_configured() {
        let options = HttpOptions::default().allowed_origins(["https://App.example.com"]);
        for origin in [
            "http://localhost:3000",
            "https://127.0.0.1",
            "https://app.example.com",
        ] {
            assert_eq!(
                checked("localhost", Some(origin), &options),
                Ok(()),
                "{origin}"
            );
        }
        for origin in [
            "null",
            "https://evil.example.com",
            "http://localhost@evil.com",
            "http://localhost.evil.com",
            "file://localhost",
            "https://app.example.com:8443",
        ] {
            let outcome = checked("localhost", Some(origin), &options);
            assert_eq!(outcome, Err(Rejection::Origin), "{origin}");
        }
    }

    #[test]
    fn nobody_has_two_hosts_or_origins() {
        for (name, refused) in [(HOST, Rejection::Host), (ORIGIN, Rejection::Origin)] {
            let request = Request::builder().header(HOST, "localhost");
            let request = request.header(ORIGIN, "http://localhost");
            let request = request.header(name, "localhost").body(()).unwrap();
            let outcome = check_caller(request.uri(), request.headers(), &HttpOptions::default());
            assert_eq!(outcome, Err(refused));
        }
    }

    #[test]
    fn hosts_can_be_added_and_the_check_left_to_a_proxy() {
        let options = HttpOptions::default().allowed_hosts(["MCP.example.com"]);
        assert_eq!(checked("mcp.example.com:443", None, &options), Ok(()));
        assert_eq!(checked("example.com", None, &options), Err(Rejection::Host));
        assert_eq!(checked("example.com", None, &options.any_host()), Ok(()));
    }
}
