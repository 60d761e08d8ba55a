//! MCP clients: their metadata, registered or in documents of theirs
//! (draft-ietf-oauth-client-id-metadata-document), and the URIs to which browsers may be sent.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::header::{ACCEPT, CACHE_CONTROL, HeaderMap};
use http::{Request, StatusCode};
use iri_string::types::UriStr;
use mcp_runtime::transport::http_client::AuthHttp;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::time::{Duration, Instant, timeout};

use super::http_message::{OAuthError, OAuthResult};
use super::limits::{
    FETCH_TIMEOUT, MAX_DOCUMENT, MAX_DOCUMENT_LIFETIME, MAX_DOCUMENTS, MAX_NAME,
    MAX_REDIRECT_URI_BYTES, MAX_REDIRECT_URIS, MAX_URI,
};
use crate::metadata::url::ServerUrl;

/// A client whose metadata was checked. Its registered identifier contains it, sealed.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    #[serde(rename = "n")]
    pub(super) name: String,
    #[serde(rename = "u")]
    pub(super) redirect_uris: Vec<String>,
    /// The host of its metadata document, if it has one.
    #[serde(skip)]
    pub(super) host: Option<String>,
}

/// Metadata of a client (RFC 7591 §2).
#[derive(Deserialize)]
pub(super) struct ClientMetadata {
    client_id: Option<String>,
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    token_endpoint_auth_method: Option<String>,
}

impl ClientMetadata {
    pub(super) fn parse(json: &[u8]) -> OAuthResult<Self> {
        let invalid = |_| OAuthError::new("invalid_client_metadata", "the JSON is no metadata");
        serde_json::from_slice(json).map_err(invalid)
    }

    /// The client with this metadata. It is a public one that gets codes, whatever it has asked for (RFC
    /// 7591 §3.2.1).
    pub(super) fn client(self, schemes: &[String]) -> OAuthResult<Client> {
        let uris = self.redirect_uris;
        let bytes = uris.iter().map(String::len).sum::<usize>();
        let is_small = bytes <= MAX_REDIRECT_URI_BYTES && uris.len() <= MAX_REDIRECT_URIS;
        let is_valid = |uri: &String| Destination::of(uri, schemes).is_some();
        let are_valid = is_small && !uris.is_empty() && uris.iter().all(is_valid);
        let text = "there must be 1 to 16 redirect URIs of 2048 bytes together, without user and \
                    fragment, of `https`, of `http` on this machine, or of a scheme that the \
                    server allows";
        OAuthError::new("invalid_redirect_uri", text).unless(are_valid)?;
        Ok(Client {
            name: displayed(self.client_name.as_deref().unwrap_or_default()),
            redirect_uris: uris,
            host: None,
        })
    }
}

impl Client {
    /// True if browsers may be sent to `uri`.
    pub(super) fn may_redirect_to(&self, uri: &str) -> bool {
        let wanted = loopback_without_port(uri);
        let mut registered = self.redirect_uris.iter();
        registered.any(|it| it == uri || wanted.is_some() && loopback_without_port(it) == wanted)
    }
}

/// The name as people see it: letters and digits of all scripts, and signs of ASCII. Others may be hidden,
/// or change the order in which text is read.
fn displayed(name: &str) -> String {
    let is_plain = |it: &char| it.is_alphanumeric() || it.is_ascii_graphic() || *it == ' ';
    let plain: String = name.chars().filter(is_plain).take(MAX_NAME).collect();
    match plain.trim() {
        "" => "An application".to_owned(),
        plain => plain.to_owned(),
    }
}

/// The place to which a browser is sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Destination {
    /// The host, or a private-use scheme (RFC 8252 §7.1) with its colon.
    pub(super) name: String,
    pub(super) is_loopback: bool,
}

impl Destination {
    /// The destination of a redirect URI, if it may be one: `https`, `http` on loopback, or a private-use
    /// scheme, which has a dot or is one of `schemes`.
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

/// What of a URI on loopback is compared, beginning with the host: all but the port, which a native app
/// chooses when it starts (RFC 8252 §7.3; OAuth 2.1 §8.4.2 for `localhost`).
fn loopback_without_port(uri: &str) -> Option<(&str, &str)> {
    let parsed = UriStr::new(uri).ok()?;
    let (rest, authority) = (uri.strip_prefix("http://")?, parsed.authority_components()?);
    let is_loopback = ["127.0.0.1", "[::1]", "localhost"].contains(&authority.host());
    let is_plain = authority.userinfo().is_none() && is_loopback;
    is_plain.then_some((authority.host(), &rest[parsed.authority_str()?.len()..]))
}

/// Fetches documents, and remembers them for a while.
pub(super) struct Documents {
    pub(super) http: AuthHttp,
    /// Has [`MAX_FETCHES`](super::limits::MAX_FETCHES).
    pub(super) fetches: Semaphore,
    pub(super) kept: Mutex<HashMap<String, (Instant, Client)>>,
}

impl Documents {
    /// The client whose document is at `url`. None if it can't be had, whatever the cause: strangers
    /// must not find out by it what is where. The log has the cause.
    pub(super) async fn get(&self, url: &str, schemes: &[String]) -> Option<Client> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept().get(url).cloned();
        if let Some((_, client)) = found.filter(|(end, _)| Instant::now() < *end) {
            return Some(client);
        }
        let fetched = self.fetch(url, schemes).await.inspect_err(|reason| {
            tracing::info!(
                url,
                reason,
                "the metadata document of a client can't be used"
            );
        });
        let (client, lifetime) = fetched.ok()?;
        let mut kept = kept();
        if kept.len() >= MAX_DOCUMENTS {
            // They are only fetched again.
            kept.clear();
        }
        let entry = (Instant::now() + lifetime, client.clone());
        kept.insert(url.to_owned(), entry);
        Some(client)
    }

    async fn fetch(&self, url: &str, schemes: &[String]) -> Result<(Client, Duration), String> {
        let host = host(url).ok_or("it is no https URL with a path")?;
        let busy = |_| "too many documents are being fetched";
        let _permit = self.fetches.try_acquire().map_err(busy)?;
        let request = Request::get(url).header(ACCEPT, "application/json");
        let request = request.body(String::new()).map_err(|it| it.to_string())?;
        let sent = timeout(FETCH_TIMEOUT, self.http.send(request)).await;
        let answer = sent.map_err(|_| "it took too long")?;
        let answer = answer.map_err(|error| error.to_string())?;
        let (status, length) = (answer.status(), answer.body().len());
        if status != StatusCode::OK || length > MAX_DOCUMENT {
            return Err(format!("its status is {status}, and it has {length} bytes"));
        }
        let metadata = ClientMetadata::parse(answer.body()).map_err(|error| error.text)?;
        if metadata.client_id.as_deref() != Some(url) || metadata.client_name.is_none() {
            return Err("`client_id` is not its URL, or there is no `client_name`".to_owned());
        }
        // One that wants to be authenticated must not be taken for it without that.
        let method = metadata.token_endpoint_auth_method.as_deref();
        if method.is_some_and(|method| method != "none") {
            return Err("`token_endpoint_auth_method` is not `none`".to_owned());
        }
        let client = metadata.client(schemes).map_err(|error| error.text)?;
        let host = Some(host);
        Ok((Client { host, ..client }, lifetime(answer.headers())))
    }
}

/// The host of the URL of a document, if it may be one (§3): `https`, with a path that has no dot
/// segments, without user and fragment.
fn host(url: &str) -> Option<String> {
    let parsed = ServerUrl::parse(url).ok()?;
    let has_dots = parsed.path.split('/').any(|it| [".", ".."].contains(&it));
    let is_right = url.len() <= MAX_URI && parsed.path.len() > 1 && !has_dots;
    let host = parsed.origin().strip_prefix("https://")?.to_owned();
    is_right.then_some(host)
}

/// The lifetime that an answer allows (RFC 9111 §5.2.2.1), within limits.
fn lifetime(headers: &HeaderMap) -> Duration {
    let value = headers.get(CACHE_CONTROL).and_then(|it| it.to_str().ok());
    let mut directives = value.unwrap_or_default().split(',').map(str::trim);
    let max_age = directives.find_map(|it| it.strip_prefix("max-age=")?.parse().ok());
    Duration::from_secs(max_age.unwrap_or(0).min(MAX_DOCUMENT_LIFETIME))
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

    fn is_url(url: &str) -> bool {
        host(url).is_some()
    }

    #[test]
    fn only_some_urls_are_fetched() {
        assert!(is_url("https://app.example.com/client.json"));
        assert!(is_url("https://app.example.com/a?b=c"));
        for url in [
            "https://app.example.com",
            "https://app.example.com/",
            "http://app.example.com/a",
            "https://user@app.example.com/a",
            "https://app.example.com/a#b",
            "https://app.example.com/a/../b",
            "https://app.example.com/./a",
            "file:///a",
        ] {
            assert!(!is_url(url), "{url}");
        }
        assert!(!is_url(&format!("https://a/{}", "b".repeat(MAX_URI))));
    }

    #[test]
    fn documents_are_kept_as_long_as_they_allow_within_limits() {
        let of = |value: &'static str| {
            let value = http::HeaderValue::from_static(value);
            lifetime(&HeaderMap::from_iter([(CACHE_CONTROL, value)])).as_secs()
        };
        assert_eq!(of("public, max-age=7"), 7);
        assert_eq!(of("max-age=99999999"), MAX_DOCUMENT_LIFETIME);
        for value in [
            "",
            "no-store",
            "private",
            "max-age=a",
            "max-age=99999999999999999999",
        ] {
            assert_eq!(of(value), 0, "{value}");
        }
    }
}
