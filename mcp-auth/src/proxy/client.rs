//! The proxy's clients: their metadata, and the URIs that browsers may be redirected to.

use iri_string::types::UriStr;
use serde::{Deserialize, Serialize};

use super::http_message::{OAuthError, OAuthResult};
use crate::limits::proxy::{MAX_NAME, MAX_REDIRECT_URI_BYTES, MAX_REDIRECT_URIS, MAX_URI};
use crate::metadata::url::ServerUrl;

/// A client whose metadata was checked. The identifier of a registered client contains this value,
/// sealed.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    #[serde(rename = "n")]
    pub(super) name: String,
    #[serde(rename = "u")]
    pub(super) redirect_uris: Vec<String>,
    /// The host of the client's metadata document, if there is one.
    #[serde(skip)]
    pub(super) host: Option<String>,
}

/// Client metadata (RFC 7591 §2).
#[derive(Deserialize)]
pub(super) struct ClientMetadata {
    pub(super) client_id: Option<String>,
    pub(super) client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    pub(super) token_endpoint_auth_method: Option<String>,
}

impl ClientMetadata {
    pub(super) fn parse(json: &[u8]) -> OAuthResult<Self> {
        let invalid =
            |_| OAuthError::new("invalid_client_metadata", "the JSON is not client metadata");
        serde_json::from_slice(json).map_err(invalid)
    }

    /// Creates the client with this metadata. It is a public client for the authorization code
    /// grant, whatever else the metadata requests (RFC 7591 §3.2.1).
    pub(super) fn client(self, schemes: &[String]) -> OAuthResult<Client> {
        let uris = self.redirect_uris;
        let bytes = uris.iter().map(String::len).sum::<usize>();
        let is_small = bytes <= MAX_REDIRECT_URI_BYTES && uris.len() <= MAX_REDIRECT_URIS;
        let is_valid = |uri: &String| Destination::of(uri, schemes).is_some();
        let are_valid = is_small && !uris.is_empty() && uris.iter().all(is_valid);
        let text = "there must be 1 to 16 redirect URIs of at most 2048 bytes in total, without \
                    user and fragment, with `https`, with `http` on this machine, or with a scheme \
                    that the server allows";
        OAuthError::new("invalid_redirect_uri", text).unless(are_valid)?;
        Ok(Client {
            name: displayed(self.client_name.as_deref().unwrap_or_default()),
            redirect_uris: uris,
            host: None,
        })
    }
}

impl Client {
    pub(super) fn may_redirect_to(&self, uri: &str) -> bool {
        let wanted = loopback_without_port(uri);
        let mut registered = self.redirect_uris.iter();
        registered.any(|it| it == uri || wanted.is_some() && loopback_without_port(it) == wanted)
    }
}

/// The name as shown to people. It keeps letters and digits of all scripts and ASCII punctuation;
/// other characters may be invisible or reverse the reading order.
fn displayed(name: &str) -> String {
    let is_plain = |it: &char| it.is_alphanumeric() || it.is_ascii_graphic() || *it == ' ';
    let plain: String = name.chars().filter(is_plain).take(MAX_NAME).collect();
    match plain.trim() {
        "" => "An application".to_owned(),
        plain => plain.to_owned(),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Destination {
    /// The host, or a private-use scheme (RFC 8252 §7.1) with its colon.
    pub(super) name: String,
    pub(super) is_loopback: bool,
}

impl Destination {
    /// The destination of a redirect URI, or `None` if the URI is not allowed. `https`, `http` on
    /// loopback, and private-use schemes that contain a dot or are listed in `schemes` are allowed.
    pub(super) fn of(uri: &str, schemes: &[String]) -> Option<Self> {
        let is_right = |it: &&UriStr| uri.len() <= MAX_URI && it.fragment().is_none();
        let parsed = UriStr::new(uri).ok().filter(is_right)?;
        let scheme = parsed.scheme_str().to_ascii_lowercase();
        let name = match &*scheme {
            "https" => ServerUrl::parse(uri).ok()?.origin().split_off(8),
            "http" => loopback_without_port(uri)?.0.to_owned(),
            _ if scheme.contains('.') || schemes.contains(&scheme) => format!("{scheme}:"),
            _ => return None,
        };
        let is_loopback = scheme == "http";
        Some(Self { name, is_loopback })
    }
}

/// The parts of a loopback URI that are compared: the host and everything after the port. A native
/// app chooses the port when it starts (RFC 8252 §7.3; OAuth 2.1 §8.4.2 for `localhost`).
fn loopback_without_port(uri: &str) -> Option<(&str, &str)> {
    let parsed = UriStr::new(uri).ok()?;
    let rest = uri.strip_prefix("http://")?;
    let authority = parsed.authority_components()?;
    let is_loopback = ["127.0.0.1", "[::1]", "localhost"].contains(&authority.host());
    let is_plain = authority.userinfo().is_none() && is_loopback;
    is_plain.then_some((authority.host(), &rest[parsed.authority_str()?.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(uri: &str) -> Option<Destination> {
        Destination::of(uri, &["cursor".to_owned()])
    }

    #[test]
    fn browsers_are_sent_to_https_to_this_machine_and_to_apps() {
        let to = |name: &str, is_loopback| {
            let name = name.to_owned();
            Some(Destination { name, is_loopback })
        };
        let site = |host| to(host, false);
        let loopback = |host| to(host, true);
        for (uri, expected) in [
            ("https://app.example.com/cb?a=b", site("app.example.com")),
            (
                "https://app.example.com:8443/",
                site("app.example.com:8443"),
            ),
            ("HTTPS://App.example.com/", site("app.example.com")),
            ("http://127.0.0.1:3000/cb", loopback("127.0.0.1")),
            ("http://[::1]/cb", loopback("[::1]")),
            ("http://localhost:3000", loopback("localhost")),
            ("com.example.app:/cb", site("com.example.app:")),
            ("cursor://mcp/cb", site("cursor:")),
        ] {
            assert_eq!(destination(uri), expected, "{uri}");
        }
        let long = format!("https://app.example.com/{}", "a".repeat(MAX_URI));
        for uri in [
            "http://app.example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1.example.com/",
            "http://127.0.0.1@example.com/",
            "https://user@example.com/",
            "https://example.com/#a",
            "https:///a",
            "https://example.com\\@evil.example/",
            "https://example.com/a b",
            "javascript:alert(1)",
            "data:text/html,a",
            "file:///etc/passwd",
            "vscode://a/b",
            "com.example.app:/a#b",
            "//example.com",
            "",
            &long,
        ] {
            assert_eq!(destination(uri), None, "{uri}");
        }
    }

    #[test]
    fn redirect_uris_are_compared_exactly_but_for_ports_of_loopback() {
        let client = |uri: &str| Client {
            name: String::new(),
            redirect_uris: vec![uri.to_owned()],
            host: None,
        };
        let of = |registered: &str, uri: &str| client(registered).may_redirect_to(uri);
        let registered = "https://app.example.com/cb";
        assert!(of(registered, registered));
        for other in [
            "https://app.example.com/cb/",
            "https://app.example.com/cb/../evil",
            "https://app.example.com/cb?a",
            "https://app.example.com/c",
            "https://app.example.com/cba",
            "https://APP.example.com/cb",
            "https://app.example.com:443/cb",
            "https://app.example.com.evil.example/cb",
            "https://app.example.com@evil.example/cb",
            "http://app.example.com/cb",
            "",
        ] {
            assert!(!of(registered, other), "{other}");
        }
        for (registered, uri, expected) in [
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:2/cb", true),
            ("http://127.0.0.1/cb", "http://127.0.0.1:2/cb", true),
            ("http://[::1]/cb", "http://[::1]:2/cb", true),
            ("http://localhost:1/cb", "http://localhost/cb", true),
            ("http://localhost/cb", "http://127.0.0.1/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1/cb2", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1/cb?a=b", false),
            (
                "http://127.0.0.1/cb",
                "http://127.0.0.1:1@evil.example/cb",
                false,
            ),
            (
                "http://127.0.0.1/cb",
                "http://127.0.0.1.evil.example/cb",
                false,
            ),
            ("http://127.0.0.1/cb", "https://127.0.0.1/cb", false),
            ("https://a.example:1/cb", "https://a.example:2/cb", false),
        ] {
            assert_eq!(of(registered, uri), expected, "{registered} {uri}");
        }
    }

    #[test]
    fn names_are_short_and_visible() {
        assert_eq!(displayed(" A\u{202e}b\n\u{200b}c "), "Abc");
        assert_eq!(displayed("\u{feff}"), "An application");
        assert_eq!(displayed(&"é".repeat(200)).chars().count(), MAX_NAME);
    }
}
