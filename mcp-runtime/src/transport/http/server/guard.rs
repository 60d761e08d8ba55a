//! Who may call: the checks that keep web pages away from local servers (2026-07-28, "Streamable
//! HTTP", section "Security & Endpoint").

use http::Uri;
use http::header::{HOST, HeaderMap, ORIGIN};
use http::uri::Authority;

use super::options::HttpOptions;
use super::rejection::Rejection;
use crate::transport::http::header_validation::only;

/// Refuses requests for a name that is not this server's, and from pages that are not trusted.
///
/// # Errors
///
/// Which of the two it is.
pub(in crate::transport) fn check(
    uri: &Uri,
    headers: &HeaderMap,
    options: &HttpOptions,
) -> Result<(), Rejection> {
    if let Some(allowed) = &options.hosts {
        let host = requested_host(uri, headers).ok_or(Rejection::Host)?;
        if !is_local(host) && !allowed.contains(&host.to_ascii_lowercase()) {
            return Err(Rejection::Host);
        }
    }
    match only(headers, &ORIGIN).map_err(|_| Rejection::Origin)? {
        None => Ok(()),
        Some(origin) => {
            let origin = origin.to_str().map_err(|_| Rejection::Origin)?;
            if is_local_origin(origin) || is_allowed_origin(origin, options) {
                Ok(())
            } else {
                Err(Rejection::Origin)
            }
        }
    }
}

/// Whether `origin` was configured.
pub(in crate::transport::http) fn is_allowed_origin(origin: &str, options: &HttpOptions) -> bool {
    !options.origins.is_empty() && options.origins.contains(&origin.to_ascii_lowercase())
}

/// The host that the client asked for, without port.
fn requested_host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    match uri.authority() {
        Some(authority) => Some(authority.host()),
        None => host_of(only(headers, &HOST).ok()??.to_str().ok()?),
    }
}

/// The host of `host[:port]`, where the host may be an address in brackets.
fn host_of(authority: &str) -> Option<&str> {
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

fn is_local(host: &str) -> bool {
    matches!(host, "127.0.0.1" | "localhost" | "[::1]") || host.eq_ignore_ascii_case("localhost")
}

fn is_local_origin(origin: &str) -> bool {
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    let authority = authority.and_then(|text| text.parse::<Authority>().ok());
    authority
        .is_some_and(|authority| !authority.as_str().contains('@') && is_local(authority.host()))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn checked(host: &str, origin: Option<&str>, options: &HttpOptions) -> Result<(), Rejection> {
        let mut request = Request::builder().uri("/mcp").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        let request = request.body(()).unwrap();
        check(request.uri(), request.headers(), options)
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
            let outcome = check(request.uri(), request.headers(), &HttpOptions::default());
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
