//! Verification of tokens with custom code.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use serde_json::json;

use crate::jwt::{Claims, TokenError};

/// Verifies tokens that can't be verified with keys or by introspection, such as API keys.
///
/// Set a verifier with [`ResourceServer::verifier`](super::ResourceServer::verifier). Its results
/// are not cached, and it is called again every 60 seconds for open streams.
///
/// ```
/// use mcp_auth::jwt::Claims;
/// use mcp_auth::server::{ResourceServer, TokenVerifier, VerifyError};
/// use serde_json::json;
///
/// struct ApiKeys;
///
/// impl TokenVerifier for ApiKeys {
///     async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
///         // Look up the hash of the token here.
///         if token != "key of alice" {
///             return Err(VerifyError::Invalid("the key is not known".into()));
///         }
///         let claims = json!({
///             "iss": "https://mcp.example.com",
///             "sub": "alice",
///             "aud": "https://mcp.example.com/mcp",
///             "exp": 4_000_000_000_u64,
///         });
///         Ok(Claims::new(claims.as_object().cloned().unwrap_or_default())?)
///     }
/// }
///
/// let auth = ResourceServer::new("https://mcp.example.com/mcp").verifier(ApiKeys);
/// assert_eq!(auth.check(), Ok(()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `TokenVerifier`",
    label = "not a `TokenVerifier`",
    note = "a `Result` needs a `?` first: `IssuerVerifier::new(…)?`"
)]
pub trait TokenVerifier: Send + Sync + 'static {
    /// Verifies a token and returns its claims. The resource server then checks `aud`, `exp` and
    /// `nbf`. A claim `cnf` with only `jkt` binds the token to a key (RFC 9449 §6.1).
    ///
    /// # Errors
    ///
    /// [`VerifyError`] if the token is invalid or can't be verified.
    fn verify(&self, token: &str) -> impl Future<Output = Result<Claims, VerifyError>> + Send;
}

/// The reason why a [`TokenVerifier`] does not accept a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The token is invalid; the response is a 401. The message is meant for the client's developer
    /// and must not quote the token.
    #[error("{0}")]
    Invalid(Cow<'static, str>),
    /// Tokens can't be verified at the moment; the response is a 503 with this time as
    /// `Retry-After`. The verifier of an [`Issuer`](super::Issuer::verifier) is then not called for
    /// one second, even for other tokens.
    #[error("tokens can't be verified for now")]
    Unavailable(Duration),
    /// This token can't be verified at the moment, but other tokens may be. Only requests with this
    /// token get a 503, with this time as `Retry-After`.
    #[error("the token can't be verified for now")]
    TokenUnavailable(Duration),
}

impl VerifyError {
    pub(super) fn pause(&self) -> Duration {
        match self {
            Self::Invalid(_) => Duration::ZERO,
            Self::Unavailable(time) | Self::TokenUnavailable(time) => *time,
        }
    }
}

impl From<TokenError> for VerifyError {
    fn from(error: TokenError) -> Self {
        Self::Invalid(error.to_string().into())
    }
}

type Verified<'a> = Pin<Box<dyn Future<Output = Result<Claims, VerifyError>> + Send + 'a>>;

/// A [`TokenVerifier`] whose future is boxed, so it can be a trait object.
pub(crate) trait ErasedVerifier: Send + Sync {
    fn verify<'a>(&'a self, token: &'a str) -> Verified<'a>;
}

impl<V: TokenVerifier> ErasedVerifier for V {
    fn verify<'a>(&'a self, token: &'a str) -> Verified<'a> {
        Box::pin(TokenVerifier::verify(self, token))
    }
}

/// Accepts a fixed set of tokens, for tests without an authorization server.
///
/// It is not meant for production: tokens are not compared in constant time and do not expire. Use
/// [`BearerTokens`](super::BearerTokens) instead.
///
/// ```
/// use mcp_auth::ResourceServer;
/// use mcp_auth::server::StaticVerifier;
///
/// let resource = "https://mcp.example.com/mcp";
/// let tokens = StaticVerifier::new(resource)
///     .token("alice", "alice", ["files:read"])
///     .token("bob", "bob", ["files:read", "files:write"]);
/// let auth = ResourceServer::new(resource).verifier(tokens);
/// assert_eq!(auth.check(), Ok(()));
/// ```
#[derive(Clone)]
#[must_use]
pub struct StaticVerifier {
    resource: String,
    tokens: HashMap<String, Claims>,
}

impl StaticVerifier {
    /// Creates a verifier without tokens, for the resource with this identifier.
    pub fn new(resource: impl Into<String>) -> Self {
        Self {
            resource: resource.into(),
            tokens: HashMap::new(),
        }
    }

    /// Accepts a token of a person with this subject and these scopes. Its issuer is
    /// `https://issuer.invalid`, and it expires in 2096.
    pub fn token<'a>(
        self,
        token: impl Into<String>,
        subject: impl Into<String>,
        scopes: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let claims = json!({
            "iss": "https://issuer.invalid",
            "sub": subject.into(),
            "aud": self.resource,
            "exp": 4_000_000_000_u64,
            "scope": scopes.into_iter().collect::<Vec<_>>(),
        });
        match claims.as_object().cloned().map(Claims::new) {
            Some(Ok(claims)) => self.claims(token, claims),
            // The claims above are always valid.
            _ => self,
        }
    }

    /// Accepts a token with custom claims ([`Claims::new`]).
    pub fn claims(mut self, token: impl Into<String>, claims: Claims) -> Self {
        self.tokens.insert(token.into(), claims);
        self
    }
}

impl TokenVerifier for StaticVerifier {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let found = self.tokens.get(token).cloned();
        found.ok_or(VerifyError::Invalid("the token is not known".into()))
    }
}

impl fmt::Debug for StaticVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StaticVerifier({} tokens)", self.tokens.len())
    }
}
