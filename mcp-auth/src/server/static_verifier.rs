//! Tokens for tests.

use std::collections::HashMap;
use std::fmt;

use serde_json::json;

use super::verifier::{TokenVerifier, VerifyError};
use crate::jwt::Claims;

/// Accepts tokens that a test has named, without an authorization server. Not for production: the tokens
/// are compared as they are, and never end. See [`BearerTokens`](super::BearerTokens) for those.
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
    /// No tokens, for the resource with this identifier.
    pub fn new(resource: impl Into<String>) -> Self {
        Self {
            resource: resource.into(),
            tokens: HashMap::new(),
        }
    }

    /// Accepts a token of a person with this subject and these scopes. Its issuer is
    /// `https://issuer.invalid`, and it ends in 2096.
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
            // What is made here is right.
            _ => self,
        }
    }

    /// Accepts a token with claims of any kind ([`Claims::new`]).
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
