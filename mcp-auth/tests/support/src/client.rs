//! Clients and their authentication.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::key;
use crate::record::Recorded;
use crate::reply::OAuthError;
use crate::state::State;

/// A client that is registered at the server.
#[derive(Clone, Debug)]
pub struct Client {
    /// `client_id`.
    pub id: String,
    /// `client_secret`, if the client has one.
    pub secret: Option<String>,
    /// The public key of a client that authenticates with assertions.
    pub key: Option<Value>,
    /// `redirect_uris`. If the list is empty, all loopback URIs are allowed.
    pub redirect_uris: Vec<String>,
}

impl Client {
    /// Creates a client without credentials.
    pub fn public(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            secret: None,
            key: None,
            redirect_uris: Vec::new(),
        }
    }

    /// Creates a client with a secret.
    pub fn secret(id: &str, secret: &str) -> Self {
        Self {
            secret: Some(secret.to_owned()),
            ..Self::public(id)
        }
    }

    /// Creates a client that signs its assertions with `ES256`. Its public key is a JWK.
    pub fn key(id: &str, jwk: Value) -> Self {
        Self {
            key: Some(jwk),
            ..Self::public(id)
        }
    }

    /// Returns true if the person may be redirected to `uri`. Ports of loopback URIs are ignored
    /// (RFC 8252 §7.3).
    pub(crate) fn may_redirect_to(&self, uri: &str) -> bool {
        let wanted = loopback_path(uri);
        if self.redirect_uris.is_empty() {
            return wanted.is_some();
        }
        let mut registered = self.redirect_uris.iter();
        registered.any(|it| it == uri || wanted.is_some() && loopback_path(it) == wanted)
    }
}

/// The host and the path of a loopback URI.
fn loopback_path(uri: &str) -> Option<(String, String)> {
    let uri: http::Uri = uri.parse().ok()?;
    let host = uri
        .host()
        .filter(|it| ["127.0.0.1", "localhost", "[::1]"].contains(it))?;
    (uri.scheme_str() == Some("http")).then(|| (host.to_owned(), uri.path().to_owned()))
}

impl State {
    pub(crate) fn authenticate(&mut self, request: &Recorded) -> Result<Client, OAuthError> {
        let invalid = |text: &str| OAuthError::new(401, "invalid_client", text);
        let basic = request
            .header("authorization")
            .and_then(|it| it.strip_prefix("Basic "));
        let assertion = request.parameter("client_assertion");
        let post = request.parameter("client_secret");
        if [basic, assertion, post].into_iter().flatten().count() > 1 {
            return Err(OAuthError::new(
                400,
                "invalid_request",
                "two ways of authentication",
            ));
        }
        let (method, id) = if let Some(basic) = basic {
            let (id, secret) = basic_credentials(basic).ok_or_else(|| invalid("no credentials"))?;
            let client = self.client(&id).ok_or_else(|| invalid("unknown client"))?;
            if client.secret != Some(secret) {
                return Err(invalid("wrong secret"));
            }
            ("client_secret_basic", id)
        } else if let Some(assertion) = assertion {
            ("private_key_jwt", self.assertion(request, assertion)?)
        } else {
            let id = request
                .parameter("client_id")
                .ok_or_else(|| invalid("no client"))?;
            let client = self.client(id).ok_or_else(|| invalid("unknown client"))?;
            if client.secret.as_deref() != post || client.key.is_some() {
                return Err(invalid("wrong secret, or none"));
            }
            let method = if post.is_some() {
                "client_secret_post"
            } else {
                "none"
            };
            (method, id.to_owned())
        };
        if !self.settings.auth_methods.contains(&method) {
            return Err(invalid("this method is not supported"));
        }
        if request.parameter("client_id").is_some_and(|it| it != id) {
            return Err(invalid("`client_id` belongs to another client"));
        }
        self.client(&id).ok_or_else(|| invalid("unknown client"))
    }

    /// Verifies an assertion and returns the client that signed it (RFC 7523 §3).
    fn assertion(&mut self, request: &Recorded, assertion: &str) -> Result<String, OAuthError> {
        let invalid = |text: &str| OAuthError::new(401, "invalid_client", text);
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        if request.parameter("client_assertion_type") != Some(kind) {
            return Err(invalid("`client_assertion_type` is not supported"));
        }
        let (_, unverified) = key::parts(assertion).ok_or_else(|| invalid("no JWT"))?;
        let id = unverified["sub"].as_str().unwrap_or_default().to_owned();
        let client = self.client(&id).ok_or_else(|| invalid("unknown client"))?;
        let jwk = client.key.ok_or_else(|| invalid("the client has no key"))?;
        if !key::is_signed_by(assertion, &jwk) {
            return Err(invalid("wrong signature"));
        }
        let claims = unverified;
        let now = self.now();
        if claims["iss"] != claims["sub"] {
            return Err(invalid("`iss` is not `sub`"));
        }
        if claims["aud"] != self.issuer.as_str() {
            return Err(invalid("`aud` is not the issuer"));
        }
        if claims["exp"]
            .as_i64()
            .is_none_or(|exp| exp <= now || exp > now + 3_600)
        {
            return Err(invalid("`exp` is missing, past or far away"));
        }
        let jti = claims["jti"].as_str().ok_or_else(|| invalid("no `jti`"))?;
        if !self.seen.insert(format!("assertion {id} {jti}")) {
            return Err(invalid("the assertion was used before"));
        }
        Ok(id)
    }

    /// Finds a client that is registered or identified by the URL of its metadata.
    pub(crate) fn client(&self, id: &str) -> Option<Client> {
        let mut known = self.settings.clients.iter().chain(&self.registered);
        let by_url = self.settings.client_metadata_documents && id.starts_with("https://");
        let found = known.find(|it| it.id == id).cloned();
        found.or_else(|| by_url.then(|| Client::public(id)))
    }
}

/// Decodes the identifier and the secret, each encoded as in a form (RFC 6749 §2.3.1).
fn basic_credentials(text: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(BASE64_STANDARD.decode(text).ok()?).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    let decode = |it: &str| {
        let pair = format!("a={it}");
        let value = form_urlencoded::parse(pair.as_bytes()).next();
        value.map(|(_, value)| value.into_owned())
    };
    Some((decode(id)?, decode(secret)?))
}
