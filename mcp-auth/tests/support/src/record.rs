//! Requests as they came.

use http::HeaderMap;
use http::request::Parts;
use serde_json::Value;

/// An endpoint of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Metadata, where [`Settings::metadata`](crate::Settings::metadata) has it.
    Metadata,
    /// Public keys.
    Jwks,
    /// Dynamic registration.
    Register,
    /// Where people log in.
    Authorize,
    /// Where parameters of logins are sent before (RFC 9126).
    Push,
    /// Where tokens are issued.
    Token,
    /// Where tokens are explained.
    Introspect,
    /// Where tokens are revoked.
    Revoke,
    /// Any other path, which is answered with 404.
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

/// A request that the server got.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// Parameters of the query and of the form, in their order.
    pub parameters: Vec<(String, String)>,
    /// The body, if it is JSON; else null.
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

    /// The first parameter of a name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A header that is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}
