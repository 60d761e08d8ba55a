//! Verification of access tokens.

use serde::Deserialize;
use std::time::{Duration, SystemTime};

use super::algorithm::Algorithm;
use super::claims::Claims;
use super::error::TokenError;
use super::jwk::JwkSet;
use super::jws::{Header, Jws, decode};

/// Claims that only ID tokens have (OpenID Connect Core 1.0 §2, §3.1.3.6, §3.3.2.11).
const ID_TOKEN: [&str; 3] = ["nonce", "at_hash", "c_hash"];
/// Claims by which issuers tell other tokens from access tokens, and their values in lower case:
/// Cognito's `token_use`, Keycloak's `typ`.
const OTHER_TOKENS: [(&str, &[&str]); 2] = [
    ("token_use", &["id", "refresh"]),
    ("typ", &["id", "refresh", "offline", "logout"]),
];

/// Rules for the access tokens of one issuer (RFC 9068 §4, RFC 8725).
///
/// ```
/// use mcp_auth::jwt::{AccessTokenRules, JwkSet, TokenError};
/// use std::time::SystemTime;
///
/// let rules = AccessTokenRules::new("https://login.example.com", "https://mcp.example.com/mcp");
/// let keys = JwkSet::parse(br#"{"keys":[]}"#)?;
/// let refused = rules.verify("opaque", &keys, SystemTime::now()).unwrap_err();
/// assert_eq!(refused, TokenError::Malformed);
/// # Ok::<(), mcp_auth::jwt::JwkError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AccessTokenRules {
    issuer: String,
    audiences: Vec<String>,
    algorithms: Vec<Algorithm>,
    leeway: Duration,
    accepts_other_types: bool,
}

impl AccessTokenRules {
    /// Rules for tokens of `issuer` for `audience`, which is the identifier of the resource. Both are
    /// compared character by character.
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>) -> Self {
        Self {
            audiences: vec![audience.into()],
            ..Self::of_issuer(issuer.into())
        }
    }

    /// Rules without an audience.
    pub(crate) fn of_issuer(issuer: String) -> Self {
        Self {
            issuer,
            audiences: Vec::new(),
            algorithms: Algorithm::ALL.to_vec(),
            leeway: Duration::from_secs(60),
            accepts_other_types: false,
        }
    }

    /// Accepts tokens for another audience, too.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// The algorithms that are accepted. Default: all that [`Algorithm`] has.
    #[must_use]
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// By how much the issuer's clock may differ in `exp` and `nbf`. Default: 60 s.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    /// Accepts tokens whose header has the `typ` `JWT` or none, beside `at+jwt`, for issuers that do not
    /// follow RFC 9068. What tells an access token from other tokens of such an issuer is the audience, a
    /// scope that is needed, and the claims of others: a token with `nonce`, `at_hash` or `c_hash`, with
    /// the `token_use` `id` or `refresh`, or with `ID`, `Refresh`, `Offline` or `Logout` as its claim
    /// `typ`, is refused.
    #[must_use]
    pub fn accept_generic_type(mut self) -> Self {
        self.accepts_other_types = true;
        self
    }

    /// Verifies a token by the issuer's keys at the time `now`, and returns its claims.
    ///
    /// Required are `iss`, `aud`, `exp`, and `sub` or `client_id`. Scopes and
    /// [binding to a key](Claims::key_thumbprint) are for the caller to check.
    ///
    /// # Errors
    ///
    /// The first rule that the token breaks. After [`TokenError::UnknownKey`] the issuer's keys may be
    /// worth fetching anew.
    pub fn verify(
        &self,
        token: &str,
        keys: &JwkSet,
        now: SystemTime,
    ) -> Result<Claims, TokenError> {
        let jws = Jws::parse(token)?;
        if !self.algorithms.contains(&jws.header().algorithm()) {
            return Err(TokenError::Algorithm);
        }
        if !self.accepts_type(jws.header()) {
            return Err(TokenError::Type);
        }
        let claims = Claims::parse(&jws.verify(keys)?)?;
        if !jws.header().is_of_type("at+jwt") && is_other_token(&claims) {
            return Err(TokenError::Type);
        }
        self.check(&claims, now)?;
        Ok(claims)
    }

    fn accepts_type(&self, header: &Header) -> bool {
        let is_generic = header.media_type().is_none() || header.is_of_type("jwt");
        header.is_of_type("at+jwt") || is_generic && self.accepts_other_types
    }

    /// True if tokens are accepted that do not name their type.
    pub(crate) fn accepts_generic_type(&self) -> bool {
        self.accepts_other_types
    }

    /// The issuer whose tokens these rules are for.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The time from which on a token with these claims is not accepted any more.
    pub(crate) fn end(&self, claims: &Claims) -> SystemTime {
        let end = claims.expires_at().checked_add(self.leeway);
        end.unwrap_or_else(|| claims.expires_at())
    }

    /// Checks claims that were verified at the time `now`.
    pub(crate) fn check(&self, claims: &Claims, now: SystemTime) -> Result<(), TokenError> {
        if claims.issuer() != self.issuer {
            return Err(TokenError::Issuer);
        }
        if !claims
            .audience()
            .iter()
            .any(|it| self.audiences.contains(it))
        {
            return Err(TokenError::Audience);
        }
        if now
            .duration_since(claims.expires_at())
            .is_ok_and(|late| late >= self.leeway)
        {
            return Err(TokenError::Expired);
        }
        let early = claims.not_before().map(|begin| begin.duration_since(now));
        if early.is_some_and(|early| early.is_ok_and(|early| early > self.leeway)) {
            return Err(TokenError::NotYetValid);
        }
        Ok(())
    }
}

/// True if claims are marked as those of an ID token, a refresh token or a logout token.
fn is_other_token(claims: &Claims) -> bool {
    let is_one_of = |(name, kinds): &(&str, &[&str])| {
        let kind = claims.get(name).and_then(|kind| kind.as_str());
        kind.is_some_and(|kind| kinds.contains(&&*kind.to_ascii_lowercase()))
    };
    ID_TOKEN.iter().any(|name| claims.get(name).is_some()) || OTHER_TOKENS.iter().any(is_one_of)
}

/// The `iss` of a JWT, which is not verified: it tells whose keys are to verify the token.
///
/// # Errors
///
/// [`TokenError::Malformed`], [`TokenError::MissingClaim`].
pub(crate) fn unverified_issuer(token: &str) -> Result<String, TokenError> {
    #[derive(Deserialize)]
    struct Payload {
        iss: Option<String>,
    }
    let payload = token.split('.').nth(1).ok_or(TokenError::Malformed)?;
    let payload: Payload =
        serde_json::from_slice(&decode(payload)?).map_err(|_| TokenError::Malformed)?;
    payload.iss.ok_or(TokenError::MissingClaim("iss"))
}
