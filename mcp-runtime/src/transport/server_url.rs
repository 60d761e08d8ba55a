//! URLs of servers, as HTTP and WebSocket clients take them.

use std::{fmt, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;

/// The URL of a server as its user gave it. It may carry credentials, so `Debug` shows its origin
/// alone.
#[derive(Clone)]
pub(super) struct ServerUrl(String);

/// A URL to connect to, without user information.
#[derive(PartialEq, Eq)]
pub(super) struct Target {
    pub(super) url: String,
    /// The user information as the value of an `Authorization` header (RFC 7617).
    pub(super) authorization: Option<String>,
}

/// The parts of a URL that has an authority (RFC 3986, section 3.2).
struct Parts<'a> {
    scheme: &'a str,
    user_information: Option<&'a str>,
    /// The host, in brackets if it is an IPv6 address.
    host: &'a str,
    port: Option<&'a str>,
    /// Path, query and fragment.
    rest: &'a str,
}

impl ServerUrl {
    pub(super) fn new(url: String) -> Self {
        Self(url)
    }

    /// Checks the URL, and takes the user information out of it.
    ///
    /// # Errors
    ///
    /// If the scheme is none of `schemes`, the host is missing, or the port is no number up to
    /// 65535. The text does not repeat the URL.
    pub(super) fn target(&self, schemes: [&str; 2]) -> io::Result<Target> {
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let known = |parts: &Parts<'_>| {
            let mut known = schemes.iter();
            known.any(|scheme| parts.scheme.eq_ignore_ascii_case(scheme))
        };
        let Some(parts) = Parts::of(&self.0).filter(known) else {
            let [plain, encrypted] = schemes;
            let reason = format!("the URL must begin with `{plain}://` or `{encrypted}://`");
            return Err(invalid(reason));
        };
        if parts.host.is_empty() {
            return Err(invalid("the URL has no host".to_owned()));
        }
        // An empty port is the default one.
        let port = parts.port.filter(|port| !port.is_empty());
        if let Some(port) = port
            && !(port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok())
        {
            return Err(invalid(format!(
                "the port `{port}` of the URL is no number up to 65535"
            )));
        }
        let Parts {
            scheme, host, rest, ..
        } = parts;
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        Ok(Target {
            url: format!("{scheme}://{host}{port}{rest}"),
            authorization: parts.user_information.map(basic),
        })
    }
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (user_information, address) = match authority.rsplit_once('@') {
            Some((user_information, address)) => (Some(user_information), address),
            None => (None, authority),
        };
        let host_end = address.find(']').map_or(0, |end| end + 1);
        let (host, port) = match address[host_end..].find(':') {
            Some(colon) => {
                let (host, port) = address.split_at(host_end + colon);
                (host, Some(&port[1..]))
            }
            None => (address, None),
        };
        Some(Self {
            scheme,
            user_information,
            host,
            port,
            rest,
        })
    }
}

/// The credentials of Basic authentication for `user:password`, each of which may be
/// percent-encoded.
fn basic(user_information: &str) -> String {
    let (user, password) = user_information
        .split_once(':')
        .unwrap_or((user_information, ""));
    let mut credentials: Vec<u8> = percent_decode_str(user).collect();
    credentials.push(b':');
    credentials.extend(percent_decode_str(password));
    format!("Basic {}", STANDARD.encode(credentials))
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parts) = Parts::of(&self.0) else {
            return f.write_str("…");
        };
        write!(f, "{}://{}", parts.scheme, parts.host)?;
        parts.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> io::Result<Target> {
        ServerUrl::new(url.to_owned()).target(["http", "https"])
    }

    #[test]
    fn user_information_becomes_credentials() {
        for (given, url, credentials) in [
            ("http://h/x?y#z", "http://h/x?y#z", None),
            ("https://h:8443", "https://h:8443", None),
            ("HTTP://[::1]:80/", "HTTP://[::1]:80/", None),
            ("http://[::1]/", "http://[::1]/", None),
            ("http://h:/", "http://h/", None),
            ("http://h/a@b:99999", "http://h/a@b:99999", None),
            ("http://ann:p%40ss@h/", "http://h/", Some("ann:p@ss")),
            ("http://ann@h/", "http://h/", Some("ann:")),
        ] {
            let target = target(given).unwrap_or_else(|error| panic!("{given}: {error}"));
            assert_eq!(target.url, url);
            let credentials = credentials.map(|text| format!("Basic {}", STANDARD.encode(text)));
            assert_eq!(target.authorization, credentials, "{given}");
        }
    }

    #[test]
    fn a_url_that_leads_nowhere_is_refused() {
        for (url, word) in [
            ("http://127.0.0.1:99999/x", "99999"),
            ("http://127.0.0.1:+80/x", "+80"),
            ("http://[::1]:65536/x", "65536"),
            ("http://ann:secret@h:x/", "`x`"),
            ("http://:80/", "host"),
            ("ftp://h/", "http://"),
            ("/mcp", "http://"),
        ] {
            let Err(error) = target(url) else {
                panic!("{url} was accepted");
            };
            let text = error.to_string();
            assert!(text.contains(word) && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn only_the_origin_is_shown() {
        let url = ServerUrl::new("https://ann:secret@h:1/secret?key=secret".to_owned());
        assert_eq!(format!("{url:?}"), "https://h:1");
    }
}
