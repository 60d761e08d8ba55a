//! Records of received requests.

use http::HeaderMap;
use http::request::Parts;
use serde_json::Value;

/// An endpoint of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The metadata, located according to [`Settings::metadata`](crate::Settings::metadata).
    Metadata,
    /// The public keys.
    Jwks,
    /// Dynamic registration.
    Register,
    /// The authorization endpoint, where people log in.
    Authorize,
    /// The endpoint for pushed authorization requests (RFC 9126).
    Push,
    /// The token endpoint.
    Token,
    /// The introspection endpoint.
    Introspect,
    /// The revocation endpoint.
    Revoke,
    /// Any other path. The response is a 404.
    Other,
}

impl Endpoint {
    pub(crate) const PATHS: [(Self, &'static str); 7] = [
        (Self::Jwks, "/jwks"),
        (Self::Register, "/register"),
        (Self::Authorize, "/authorize"),
        (Self::Push, "/par"),
        (Self::Token, "/token"),
        (Self::Introspect, "/introspect"),
        (Self::Revoke, "/revoke"),
    ];
}

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The endpoint that the request was sent to.
    pub endpoint: Endpoint,
    /// The HTTP method.
    pub method: String,
    /// The path of the URL.
    pub path: String,
    /// The request headers.
    pub headers: HeaderMap,
    /// The parameters of the query and of the form, in order.
    pub parameters: Vec<(String, String)>,
    /// The body if it is JSON, otherwise null.
    pub json: Value,
}

impl Recorded {
    pub(crate) fn new(endpoint: Endpoint, parts: &Parts, body: &[u8]) -> Self {
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let kind = parts.headers.get(http::header::CONTENT_TYPE);
        let kind = kind.and_then(|it| it.to_str().ok()).unwrap_or_default();
        let is_form = kind.starts_with("application/x-www-form-urlencoded");
        let form = if is_form { body } else { b"" };
        let pairs = form_urlencoded::parse(query).chain(form_urlencoded::parse(form));
        Self {
            endpoint,
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            headers: parts.headers.clone(),
            parameters: pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            json: serde_json::from_slice(body).unwrap_or_default(),
        }
    }

    /// The first parameter with this name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A header whose value is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}
