//! An issuer together with its fetched keys and metadata.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use mcp_runtime::transport::http_client::AuthHttp;
use tokio::time::Instant;

use super::discovery::Discovery;
use super::error::ResourceServerError;
use super::introspection::Introspection;
use super::issuer::Issuer;
use super::keys::Keys;
use super::lookups::{Lookups, Place};
use super::refusal::Refusal;
use super::token_cache::SentToken;
use super::verifier::{TokenVerifier, VerifyError};
use crate::jwt::{AccessTokenRules, Claims, Jws, TokenError, unverified_issuer};
use crate::metadata::url::ServerUrl;

pub(super) struct TokenIssuer {
    pub(super) rules: AccessTokenRules,
    pub(super) scope_prefix: String,
    keys: Arc<Keys>,
    /// `None` if only keys verify tokens.
    lookups: Option<Arc<Lookups>>,
    looks_jwts_up: bool,
}

/// Why a token was found valid, to decide whether that still holds when the token is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The keys of this generation verified the token. The first number is the index of the issuer.
    Keys(usize, u64),
    /// A lookup found the token. The result is valid until this time.
    Lookup(Instant),
    /// The user's verifier accepted the token. It is called for every request.
    Verifier,
}

impl TokenIssuer {
    pub(super) fn new(issuer: &Issuer, resource: &str, http: AuthHttp) -> Self {
        let mut discovery = Discovery::new(issuer.rules.issuer(), http);
        discovery.template = issuer.rules.template().cloned();
        let discovery = Arc::new(discovery);
        let rules = issuer.rules.clone();
        let rules = audiences(resource).fold(rules, AccessTokenRules::audience);
        let introspection = issuer.introspection.clone();
        let looks_jwts_up = introspection.as_ref().is_some_and(|it| it.takes_jwts);
        let place = match (&issuer.verifier, introspection) {
            (Some(verifier), _) => Some(Place::Verifier(Arc::clone(verifier))),
            (None, Some(client)) => Some(Place::Introspection(Introspection {
                discovery: Arc::clone(&discovery),
                client,
                resource: resource.to_owned(),
                audience_claim: rules.audiences().1.to_owned(),
            })),
            (None, None) => None,
        };
        Self {
            keys: Keys::new(discovery, issuer.keys.clone()),
            lookups: place.map(|place| Lookups::new(place, rules.clone())),
            looks_jwts_up,
            scope_prefix: issuer.scope_prefix.clone(),
            rules,
        }
    }

    /// Verifies a JWT that names this issuer. `number` is the index of the issuer. `was_known` is
    /// true if earlier keys verified the token.
    pub(super) async fn jwt(
        &self,
        number: usize,
        token: SentToken<'_>,
        was_known: bool,
    ) -> Result<(Claims, Source), Refusal> {
        if self.looks_jwts_up
            && let Some(found) = self.opaque(token).await
        {
            return found;
        }
        let verified = self.keys.verify(&self.rules, token, was_known).await;
        verified.map(|(claims, generation)| (claims, Source::Keys(number, generation)))
    }

    /// Looks up an opaque token. Returns `None` if this issuer does not support opaque tokens.
    pub(super) async fn opaque(
        &self,
        token: SentToken<'_>,
    ) -> Option<Result<(Claims, Source), Refusal>> {
        let answer = self.lookups.as_ref()?.answer(token).await;
        Some(answer.map(|(claims, end)| (claims, Source::Lookup(end))))
    }

    /// The generation of the keys, if they can be used without waiting.
    pub(super) fn current_generation(&self) -> Option<u64> {
        self.keys.current_generation()
    }
}

/// Returns true if a token is not a JWT.
pub(super) fn is_opaque(token: &str) -> bool {
    matches!(Jws::parse(token), Err(TokenError::Malformed))
}

/// The accepted audiences of a resource: its identifier and, if its path is empty, the same URL
/// with or without the final `/`, because some clients request that form.
pub(super) fn audiences(resource: &str) -> impl Iterator<Item = String> {
    let url = ServerUrl::parse(resource).ok();
    let is_bare = |url: &ServerUrl<'_>| !resource.contains('?') && matches!(url.path, "" | "/");
    let other = url
        .filter(is_bare)
        .map(|_| match resource.strip_suffix('/') {
            Some(bare) => bare.to_owned(),
            None => format!("{resource}/"),
        });
    [resource.to_owned()].into_iter().chain(other)
}

/// Verifies the tokens of one [`Issuer`] as a [`ResourceServer`](super::ResourceServer) does. Use
/// it in a [`TokenVerifier`] that performs additional checks. Keys and lookup results are cached,
/// and clones share them.
///
/// ```
/// use mcp_auth::jwt::Claims;
/// use mcp_auth::server::{Issuer, IssuerVerifier, ResourceServer, TokenVerifier, VerifyError};
///
/// /// Accepts people who are in the directory.
/// struct Employees {
///     tokens: IssuerVerifier,
/// }
///
/// impl TokenVerifier for Employees {
///     async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
///         let claims = self.tokens.verify(token).await?;
///         // Look the person up here.
///         match claims.subject() {
///             Some("alice") => Ok(claims),
///             _ => Err(VerifyError::Invalid("the person is not in the directory".into())),
///         }
///     }
/// }
///
/// let resource = "https://mcp.example.com/mcp";
/// let tokens = IssuerVerifier::new(Issuer::new("https://login.example.com"), resource)?;
/// let auth = ResourceServer::new(resource)
///     .issuer("https://login.example.com")
///     .verifier(Employees { tokens });
/// # drop(auth);
/// # Ok::<(), mcp_auth::server::ResourceServerError>(())
/// ```
#[derive(Clone)]
pub struct IssuerVerifier(Arc<TokenIssuer>);

impl IssuerVerifier {
    /// Creates a verifier for tokens that `issuer` issued for the resource with this identifier.
    ///
    /// # Errors
    ///
    /// The first wrong setting of the issuer.
    pub fn new(
        issuer: impl Into<Issuer>,
        resource: impl Into<String>,
    ) -> Result<Self, ResourceServerError> {
        let issuer = issuer.into();
        issuer.check()?;
        let http = AuthHttp::trusted([]);
        let http = http.map_err(|error| ResourceServerError::Certificate(error.to_string()))?;
        let issuer = TokenIssuer::new(&issuer, &resource.into(), http);
        Ok(Self(Arc::new(issuer)))
    }
}

impl TokenVerifier for IssuerVerifier {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let sent = SentToken::new(token, SystemTime::now());
        let verified = if is_opaque(token) {
            let found = self.0.opaque(sent).await;
            found.unwrap_or_else(|| Err(TokenError::Malformed.into()))
        } else if self.0.rules.is_of(&unverified_issuer(token)?) {
            self.0.jwt(0, sent, false).await
        } else {
            Err(TokenError::Issuer.into())
        };
        let (claims, _) = verified.map_err(VerifyError::from)?;
        Ok(claims)
    }
}

impl fmt::Debug for IssuerVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuerVerifier({})", self.0.rules.issuer())
    }
}

#[cfg(test)]
mod tests {
    use super::audiences;

    #[test]
    fn only_the_slash_of_an_empty_path_makes_no_difference() {
        let all = |resource: &str| audiences(resource).collect::<Vec<_>>();
        let both = ["https://a.example", "https://a.example/"];
        assert_eq!(all(both[0]), both);
        assert_eq!(all(both[1]), [both[1], both[0]]);
        for only in [
            "https://a.example/mcp",
            "https://a.example/mcp/",
            "https://a.example//",
            "https://a.example?",
            "https://a.example/?a",
            "api",
        ] {
            assert_eq!(all(only), [only]);
        }
    }
}
