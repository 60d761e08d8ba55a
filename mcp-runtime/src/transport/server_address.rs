//! The address of a remote server for HTTP and WebSocket clients: its URL, headers, and TLS
//! settings.

use std::error::Error;
use std::sync::Arc;
use std::{fmt, io};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::{CertificateError, ClientConfig, RootCertStore};

/// A transport that clients reach by URL. The scheme of the URL tells which one.
///
/// ```
/// use mcp_runtime::transport::UrlTransport;
///
/// assert_eq!(UrlTransport::of("wss://mcp.example.com"), Some(UrlTransport::WebSocket));
/// assert_eq!(UrlTransport::of("mcp.example.com"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlTransport {
    /// HTTP, with [`http_client`](fn@crate::transport::http_client).
    Http,
    /// WebSocket, with [`websocket`](fn@crate::transport::websocket).
    WebSocket,
}

impl UrlTransport {
    /// All transports.
    pub const ALL: [Self; 2] = [Self::Http, Self::WebSocket];

    /// The transport of a URL; `None` if the URL has no scheme or an unknown one.
    pub fn of(url: &str) -> Option<Self> {
        let (scheme, _) = url.split_once("://")?;
        Self::ALL.into_iter().find(|it| it.has_scheme(scheme))
    }

    /// The schemes of the transport's URLs, first without and then with encryption.
    pub const fn schemes(self) -> [&'static str; 2] {
        match self {
            Self::Http => ["http", "https"],
            Self::WebSocket => ["ws", "wss"],
        }
    }

    fn has_scheme(self, scheme: &str) -> bool {
        let mut schemes = self.schemes().into_iter();
        schemes.any(|known| known.eq_ignore_ascii_case(scheme))
    }
}

/// The URL of a server as the user wrote it, with the headers and root certificates for it. The URL
/// and the headers may hold credentials, so `Debug` shows only the origin and the names of the
/// headers.
#[derive(Clone)]
pub(super) struct ServerAddress {
    url: String,
    headers: Vec<(String, String)>,
    pub(super) roots: TrustedRoots,
}

#[derive(Clone, Default)]
pub(super) struct TrustedRoots {
    /// Additional roots, in DER.
    pub(super) added: Vec<Vec<u8>>,
    /// True if the roots of the Mozilla project are not trusted.
    pub(super) only_added: bool,
}

impl ServerAddress {
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            headers: Vec::new(),
            roots: TrustedRoots::default(),
        }
    }

    pub(super) fn add_header(&mut self, name: String, value: String) {
        self.headers.push((name, value));
    }

    /// Returns the URL without user information, and the headers of every request. User information
    /// becomes `Authorization: Basic` (RFC 7617), unless that header is set explicitly.
    ///
    /// # Errors
    ///
    /// If the URL is not one of `transport`, has no host, or has a port that is not a number up to
    /// 65535, or if a header can't be sent. The message repeats neither the URL nor the values of
    /// headers.
    pub(super) fn target(&self, transport: UrlTransport) -> io::Result<(Uri, HeaderMap)> {
        let (user_information, url) = split_user_information(&self.url);
        let credentials = user_information.map(|it| (AUTHORIZATION.to_string(), basic(it)));
        let mut headers = HeaderMap::new();
        for (name, value) in credentials.iter().chain(&self.headers) {
            let key = HeaderName::try_from(name)
                .map_err(|_| invalid(format!("`{name}` is not a valid header name")))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| {
                invalid(format!(
                    "the header `{name}` has a value that can't be sent"
                ))
            })?;
            value.set_sensitive(true);
            headers.insert(key, value);
        }
        Ok((parse(&url, transport)?, headers))
    }
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

fn parse(url: &str, transport: UrlTransport) -> io::Result<Uri> {
    let [plain, encrypted] = transport.schemes();
    if !url.contains("://") {
        let reason = format!(
            "the URL has no scheme: it must begin with `{encrypted}://`, or with `{plain}://` for a server on \
             this machine"
        );
        return Err(invalid(reason));
    }
    let uri: Uri = url
        .parse()
        .map_err(|error| invalid(format!("the URL can't be read: {error}")))?;
    let scheme = uri.scheme_str().unwrap_or_default();
    if !transport.has_scheme(scheme) {
        let reason = format!("the URL must begin with `{plain}://` or `{encrypted}://`");
        return Err(invalid(reason));
    }
    let host = uri.host().unwrap_or_default();
    if host.is_empty() {
        return Err(invalid("the URL has no host".to_owned()));
    }
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    // An empty port means the default port.
    let port = authority[host.len()..].trim_start_matches(':');
    let is_decimal = port.bytes().all(|byte| byte.is_ascii_digit());
    let is_port = is_decimal && port.parse::<u16>().is_ok();
    if !port.is_empty() && !is_port {
        let reason = format!("the port `{port}` of the URL is not a number up to 65535");
        return Err(invalid(reason));
    }
    Ok(uri)
}

/// Splits the user information off a URL (RFC 3986, section 3.2.1).
fn split_user_information(url: &str) -> (Option<&str>, String) {
    let start = url.find("://").map_or(0, |colon| colon + 3);
    let (scheme, rest) = url.split_at(start);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((user_information, _)) => {
            let address = &rest[user_information.len() + 1..];
            (Some(user_information), format!("{scheme}{address}"))
        }
        None => (None, url.to_owned()),
    }
}

/// Returns the Basic authentication credentials for `user:password`. Both parts may be
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

/// Returns the added roots and, unless `roots` excludes them, the roots of the Mozilla project.
///
/// # Errors
///
/// If an added root is not a certificate.
fn trusted(roots: &TrustedRoots) -> io::Result<RootCertStore> {
    let defaults = webpki_roots::TLS_SERVER_ROOTS.iter().cloned();
    let defaults = defaults.filter(|_| !roots.only_added);
    let mut trusted = RootCertStore::from_iter(defaults);
    for root in &roots.added {
        if root.trim_ascii_start().starts_with(b"-----BEGIN") {
            let reason = "the root certificate is PEM, but must be DER: convert it, for example by \
                          `openssl x509 -in root.pem -outform der -out root.der`";
            return Err(invalid(reason.to_owned()));
        }
        let added = trusted.add(CertificateDer::from(root.clone()));
        added.map_err(|error| invalid(format!("the root certificate can't be used: {error}")))?;
    }
    Ok(trusted)
}

/// Returns a configuration that trusts `roots`.
///
/// # Errors
///
/// If an added root is not a certificate.
pub(super) fn tls_config(roots: &TrustedRoots) -> io::Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let config = config.with_root_certificates(trusted(roots)?);
    Ok(config.with_no_client_auth())
}

/// Returns advice for TLS errors that users meet.
pub(super) fn tls_advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut error = error;
    // An I/O error may wrap another I/O error without reporting it as its source.
    while let Some(outer) = error.downcast_ref::<io::Error>() {
        error = outer.get_ref()?;
    }
    match error.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidMessage(_) => Some(
            "the server does not speak TLS there: use another port, or a URL without TLS \
             (`http://`, `ws://`)",
        ),
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Some(
            "the server's certificate was issued by an authority that is not trusted here: add the \
             certificate of that authority to the root certificates",
        ),
        // This is webpki's `CaUsedAsEndEntity`, which rustls passes on as a foreign error.
        rustls::Error::InvalidCertificate(CertificateError::Other(other))
            if format!("{other:?}").contains("CaUsedAsEndEntity") =>
        {
            Some(
                "the server's certificate is self-signed or belongs to an authority, so it can't \
                 identify a server: use it to sign another certificate for the server, and add \
                 the first certificate to the root certificates",
            )
        }
        _ => None,
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = split_user_information(&self.url).1.parse::<Uri>();
        let uri = uri.unwrap_or_default();
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map_or("…", |authority| authority.as_str());
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| &**name).collect();
        f.debug_struct("ServerAddress")
            .field("origin", &format_args!("{scheme}://{authority}"))
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_roots_can_be_left_out() {
        let root = include_bytes!("../../tests/transports/certificates/root.der");
        let count = |only_added| {
            let added = vec![root.to_vec()];
            trusted(&TrustedRoots { added, only_added }).unwrap().len()
        };
        assert_eq!(count(true), 1);
        assert!(count(false) > 50);
    }

    fn target(url: &str) -> io::Result<(Uri, HeaderMap)> {
        ServerAddress::new(url.to_owned()).target(UrlTransport::Http)
    }

    #[test]
    fn user_information_becomes_credentials() {
        for (given, url, credentials) in [
            ("http://h/x?y#z", "http://h/x?y", None),
            ("https://h:8443", "https://h:8443/", None),
            ("HTTP://[::1]:80/", "http://[::1]:80/", None),
            ("http://[::1]/", "http://[::1]/", None),
            ("http://h:/", "http://h:/", None),
            ("http://h/a@b:99999", "http://h/a@b:99999", None),
            ("http://ann:p%40ss@h/", "http://h/", Some("ann:p@ss")),
            ("http://a|b:c^d@e@h/", "http://h/", Some("a|b:c^d@e")),
            ("http://ann@h/", "http://h/", Some("ann:")),
        ] {
            let (uri, headers) = target(given).unwrap_or_else(|error| panic!("{given}: {error}"));
            assert_eq!(uri, url);
            let sent = headers.get(AUTHORIZATION);
            let credentials = credentials.map(|text| format!("Basic {}", STANDARD.encode(text)));
            let sent = sent.map(|value| value.to_str().unwrap());
            assert_eq!(sent, credentials.as_deref(), "{given}");
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
            ("http://ann:secret@/", "URL"),
        ] {
            let Err(error) = target(url) else {
                panic!("{url} was accepted");
            };
            let text = error.to_string();
            assert!(text.contains(word) && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let url = "https://ann:secret@h:1/secret?key=secret".to_owned();
        let mut server = ServerAddress::new(url);
        server.add_header("authorization".to_owned(), "Bearer secret".to_owned());
        let shown = format!("{server:?}");
        assert!(!shown.contains("secret"), "{shown}");
        assert!(shown.contains("https://h:1"), "{shown}");
        assert!(shown.contains("authorization"), "{shown}");
        let (_, headers) = server.target(UrlTransport::Http).unwrap();
        assert_eq!(headers[AUTHORIZATION], "Bearer secret");
        assert!(headers[AUTHORIZATION].is_sensitive());
    }
}
