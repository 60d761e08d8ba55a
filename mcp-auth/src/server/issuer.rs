//! Issuers of tokens.

use std::fmt;
use std::time::Duration;

use crate::jwt::{AccessTokenRules, Algorithm};
use crate::metadata::authorization_server_metadata_urls;
use crate::metadata::url::ServerUrl;

use super::error::ResourceServerError;

/// An authorization server whose tokens a [`ResourceServer`](super::ResourceServer) accepts.
///
/// Its metadata and keys are found by discovery (RFC 8414, then OpenID Connect). It is trusted
/// configuration, and may have a private address.
///
/// ```
/// use mcp_auth::jwt::Algorithm;
/// use mcp_auth::server::Issuer;
///
/// let issuer = Issuer::new("https://login.example.com")
///     .introspection("mcp-server", "secret")
///     .algorithms([Algorithm::Es256, Algorithm::Rs256]);
/// # drop(issuer);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Issuer {
    pub(super) rules: AccessTokenRules,
    pub(super) client: Option<IntrospectionClient>,
}

/// The client that introspects tokens.
#[derive(Clone)]
pub(super) struct IntrospectionClient {
    pub(super) id: String,
    pub(super) secret: String,
}

impl Issuer {
    /// The issuer with this identifier, which must be exactly the `issuer` of its metadata and the
    /// `iss` of its tokens: a `/` at the end makes a difference.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            rules: AccessTokenRules::of_issuer(url.into()),
            client: None,
        }
    }

    /// Has tokens that are no JWT introspected (RFC 7662), by a client that the issuer knows; its
    /// secret is sent by `client_secret_basic`. The answers must have `aud` and `exp`. They count for 60
    /// seconds from the time of the question, which is how late a revocation may be noticed, also by a
    /// stream that is open; those about tokens that are not valid count for 5 seconds. A token is
    /// introspected once at a time, and 1024 at most. After an introspection that failed, there is no
    /// other for a second: requests with unknown tokens are answered with 503 and `Retry-After`.
    pub fn introspection(
        mut self,
        client_id: impl Into<String>,
        secret: impl Into<String>,
    ) -> Self {
        self.client = Some(IntrospectionClient {
            id: client_id.into(),
            secret: secret.into(),
        });
        self
    }

    /// Accepts tokens for this audience, too, for issuers that can't put the URL of the resource
    /// into `aud`. Tokens for another server must not have it.
    pub fn audience(self, audience: impl Into<String>) -> Self {
        self.with(|rules| rules.audience(audience))
    }

    /// The algorithms by which JWTs may be signed. Default: all that [`Algorithm`] has.
    pub fn algorithms(self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.with(|rules| rules.algorithms(algorithms))
    }

    /// By how much the issuer's clock may differ in `exp` and `nbf`. Default: 60 s.
    pub fn leeway(self, leeway: Duration) -> Self {
        self.with(|rules| rules.leeway(leeway))
    }

    /// Accepts JWTs whose `typ` is `JWT` or missing, beside `at+jwt`, for issuers that do not follow
    /// RFC 9068. ID tokens and others are then refused by their claims
    /// ([`AccessTokenRules::accept_generic_type`]), and pass if they have none of these and the audience
    /// of the resource. They have no scopes, so require one by
    /// [`ResourceServer::scopes`](super::ResourceServer::scopes); a warning is logged where none is.
    pub fn accept_generic_type(self) -> Self {
        self.with(AccessTokenRules::accept_generic_type)
    }

    fn with(mut self, change: impl FnOnce(AccessTokenRules) -> AccessTokenRules) -> Self {
        self.rules = change(self.rules);
        self
    }

    /// Checks the identifier.
    pub(crate) fn check(&self) -> Result<(), ResourceServerError> {
        let url = self.rules.issuer();
        let is_url = authorization_server_metadata_urls(url).is_ok();
        match ServerUrl::parse(url) {
            Ok(parsed) if is_url && parsed.is_secure() => Ok(()),
            _ => Err(ResourceServerError::Issuer(url.to_owned())),
        }
    }
}

impl From<&str> for Issuer {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<String> for Issuer {
    fn from(url: String) -> Self {
        Self::new(url)
    }
}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let client = self.client.as_ref().map(|client| &client.id);
        f.debug_struct("Issuer")
            .field("rules", &self.rules)
            .field("introspection", &client)
            .finish()
    }
}
