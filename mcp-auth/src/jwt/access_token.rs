//! Verification of access tokens.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::algorithm::Algorithm;
use super::claims::Claims;
use super::error::TokenError;
use super::jwk::JwkSet;
use super::jws::{Header, Jws, decode};
use super::members;
use crate::limits::server::CLOCK_LEEWAY;
use crate::metadata::IssuerTemplate;

/// Claims that only ID tokens have (OpenID Connect Core 1.0 §2, §3.1.3.6, §3.3.2.11).
const ID_TOKEN: [&str; 3] = ["nonce", "at_hash", "c_hash"];
/// Claims with which issuers mark tokens other than access tokens, and the lower-case values:
/// `token_use` at Cognito, `typ` at Keycloak.
const OTHER_TOKENS: [(&str, &[&str]); 2] = [
    ("token_use", &["id", "refresh"]),
    ("typ", &["id", "refresh", "offline", "logout"]),
];

/// Rules for verifying the access tokens of one issuer (RFC 9068 §4, RFC 8725).
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
    /// The tenants of an issuer that has an identifier for each tenant.
    tenants: Option<(IssuerTemplate, Tenants)>,
    audiences: Vec<String>,
    audience_claim: String,
    checks: Vec<ClaimCheck>,
    algorithms: Vec<Algorithm>,
    leeway: Duration,
    accepts_other_types: bool,
}

impl AccessTokenRules {
    /// Creates rules for tokens that `issuer` issued for `audience`, the identifier of the
    /// resource. Both are compared character by character.
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>) -> Self {
        Self {
            audiences: vec![audience.into()],
            ..Self::of_issuer(issuer.into())
        }
    }

    /// Creates rules without an audience.
    pub(crate) fn of_issuer(issuer: String) -> Self {
        Self {
            issuer,
            tenants: None,
            audiences: Vec::new(),
            audience_claim: "aud".to_owned(),
            checks: Vec::new(),
            algorithms: Algorithm::ALL.to_vec(),
            leeway: CLOCK_LEEWAY,
            accepts_other_types: false,
        }
    }

    /// Also accepts tokens for another audience.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Uses the claim with this name, such as `client_id`, instead of `aud`, for issuers whose
    /// tokens have no audience. Its value must be one of the [`audience`](Self::audience) values.
    #[must_use]
    pub fn audience_claim(mut self, name: impl Into<String>) -> Self {
        self.audience_claim = name.into();
        self
    }

    /// Requires a claim to have this value.
    #[must_use]
    pub fn require_claim(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let check = ClaimCheck::Value(name.into(), value.into());
        self.checks.push(check);
        self
    }

    /// Requires `check` to return true for the claims. It is called after all other rules and must
    /// not block.
    #[must_use]
    pub fn require(mut self, check: impl Fn(&Claims) -> bool + Send + Sync + 'static) -> Self {
        self.checks.push(ClaimCheck::Custom(Arc::new(check)));
        self
    }

    pub(crate) fn issued_by(mut self, issuer: String) -> Self {
        self.issuer = issuer;
        self
    }

    /// Accepts tokens of the tenants of an issuer that has an identifier for each tenant, instead
    /// of tokens of a single issuer. A key that names its issuer (in the member `issuer`) verifies
    /// only the tokens of that issuer.
    pub(crate) fn tenants(mut self, template: IssuerTemplate, tenants: Tenants) -> Self {
        self.tenants = Some((template, tenants));
        self
    }

    /// Sets the accepted algorithms. Default: all of [`Algorithm`].
    #[must_use]
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Sets the tolerated clock difference for `exp` and `nbf`. Default: 60 seconds.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    /// Accepts tokens whose header has the `typ` `JWT` or no `typ`, for issuers that do not follow
    /// RFC 9068. Without this setting, only the `typ` `at+jwt` is accepted.
    ///
    /// Access tokens of such an issuer are then told from its other tokens by the audience, by a
    /// required scope, and by the claims of other tokens: a token is rejected if it has `nonce`,
    /// `at_hash` or `c_hash`, if its `token_use` is `id` or `refresh`, or if its claim `typ` is
    /// `ID`, `Refresh`, `Offline` or `Logout`.
    #[must_use]
    pub fn accept_generic_type(mut self) -> Self {
        self.accepts_other_types = true;
        self
    }

    /// Verifies a token with the issuer's keys at the time `now`, and returns the claims.
    ///
    /// The claims `iss`, `aud`, `exp`, and `sub` or `client_id` are required. The caller must check
    /// the scopes and the [key that the token is bound to](Claims::key_thumbprint).
    ///
    /// # Errors
    ///
    /// The first rule that the token violates. After [`TokenError::UnknownKey`], fetching the
    /// issuer's keys again may help.
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
        // The signature is verified first, so later failures are configuration mistakes, not
        // forgeries.
        let payload = match &self.tenants {
            None => jws.verify(keys)?,
            Some((template, _)) => {
                jws.verify_of(&[template.as_str(), &unverified_issuer(token)?], keys)?
            }
        };
        if !self.accepts_type(jws.header()) {
            return Err(TokenError::Type);
        }
        let claims = Claims::parse(&payload, &self.audience_claim)?;
        let is_other = || is_id_token(&claims) || is_other_token(&claims);
        if !jws.header().is_of_type("at+jwt") && is_other() {
            return Err(TokenError::Type);
        }
        self.check(&claims, now)?;
        Ok(claims)
    }

    fn accepts_type(&self, header: &Header) -> bool {
        let is_generic = header.media_type().is_none() || header.is_of_type("jwt");
        header.is_of_type("at+jwt") || is_generic && self.accepts_other_types
    }

    pub(crate) fn accepts_generic_type(&self) -> bool {
        self.accepts_other_types
    }

    pub(crate) fn has_algorithms(&self) -> bool {
        !self.algorithms.is_empty()
    }

    /// Returns true if there are claim checks beyond those of RFC 9068.
    pub(crate) fn has_checks(&self) -> bool {
        !self.checks.is_empty()
    }

    /// The issuer that the rules were made for. With tenants, it represents all of them.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(crate) fn is_of(&self, issuer: &str) -> bool {
        match &self.tenants {
            None => issuer == self.issuer,
            Some((template, tenants)) => {
                let tenant = template.tenant(issuer);
                tenant.is_some_and(|tenant| tenants.admits(tenant))
            }
        }
    }

    pub(crate) fn template(&self) -> Option<&IssuerTemplate> {
        self.tenants.as_ref().map(|(template, _)| template)
    }

    /// The accepted audiences, and the claim that contains the audience.
    pub(crate) fn audiences(&self) -> (&[String], &str) {
        (&self.audiences, &self.audience_claim)
    }

    /// Parses claims that were verified by other means than a signature.
    pub(crate) fn claims(&self, all: Map<String, Value>) -> Result<Claims, TokenError> {
        let claims = Claims::with_audience_of(&self.audience_claim, all)?;
        if is_other_token(&claims) {
            Err(TokenError::Type)
        } else {
            Ok(claims)
        }
    }

    /// The time from which a token with these claims is no longer accepted.
    pub(crate) fn end(&self, claims: &Claims) -> SystemTime {
        let end = claims.expires_at().checked_add(self.leeway);
        end.unwrap_or_else(|| claims.expires_at())
    }

    pub(crate) fn check(&self, claims: &Claims, now: SystemTime) -> Result<(), TokenError> {
        if !self.is_of(claims.issuer()) {
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
        if self.checks.iter().all(|check| check.passes(claims)) {
            Ok(())
        } else {
            Err(TokenError::Claims)
        }
    }
}

fn is_id_token(claims: &Claims) -> bool {
    ID_TOKEN.iter().any(|name| claims.get(name).is_some())
}

/// Returns true if the claims mark an ID token, a refresh token or a logout token.
fn is_other_token(claims: &Claims) -> bool {
    let is_one_of = |(name, kinds): &(&str, &[&str])| {
        let kind = claims.get(name).and_then(|kind| kind.as_str());
        kind.is_some_and(|kind| kinds.contains(&&*kind.to_ascii_lowercase()))
    };
    OTHER_TOKENS.iter().any(is_one_of)
}

/// Returns the unverified `iss` of a JWT, to find the issuer whose keys must verify the token.
///
/// # Errors
///
/// [`TokenError::Malformed`], [`TokenError::MissingClaim`], [`TokenError::InvalidClaim`].
pub(crate) fn unverified_issuer(token: &str) -> Result<String, TokenError> {
    match unverified_claim(token, "iss")? {
        Some(Value::String(issuer)) => Ok(issuer),
        Some(_) => Err(TokenError::InvalidClaim("iss")),
        None => Err(TokenError::MissingClaim("iss")),
    }
}

/// Returns an unverified claim of a JWT.
///
/// # Errors
///
/// [`TokenError::Malformed`].
pub(crate) fn unverified_claim(token: &str, name: &str) -> Result<Option<Value>, TokenError> {
    let payload = token.split('.').nth(1).ok_or(TokenError::Malformed)?;
    let mut payload = members::parse(&decode(payload)?).ok_or(TokenError::Malformed)?;
    Ok(payload.remove(name))
}

#[derive(Clone)]
enum ClaimCheck {
    Value(String, Value),
    Custom(Arc<dyn Fn(&Claims) -> bool + Send + Sync>),
}

impl ClaimCheck {
    fn passes(&self, claims: &Claims) -> bool {
        match self {
            Self::Value(name, value) => claims.get(name) == Some(value),
            Self::Custom(check) => check(claims),
        }
    }
}

impl fmt::Debug for ClaimCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(name, value) => write!(f, "{name}={value}"),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

/// The accepted tenants of an issuer that has many: a list or a function.
///
/// ```
/// use mcp_auth::jwt::Tenants;
///
/// let listed = Tenants::from(["acme", "globex"]);
/// let checked = Tenants::matching(|tenant| tenant.starts_with("eu-"));
/// assert!(listed.admits("acme") && !listed.admits("Acme"));
/// assert!(checked.admits("eu-acme"));
/// ```
#[derive(Clone)]
pub struct Tenants(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl Tenants {
    /// Accepts the tenants for which `check` returns true. `check` is called for each token with a
    /// valid signature and must not block.
    pub fn matching(check: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    /// Returns true if tokens of this tenant are accepted.
    #[must_use]
    pub fn admits(&self, tenant: &str) -> bool {
        (self.0)(tenant)
    }
}

impl<T: Into<String>, const N: usize> From<[T; N]> for Tenants {
    fn from(tenants: [T; N]) -> Self {
        tenants.into_iter().map(Into::into).collect()
    }
}

impl<T: Into<String>> From<Vec<T>> for Tenants {
    fn from(tenants: Vec<T>) -> Self {
        tenants.into_iter().map(Into::into).collect()
    }
}

impl FromIterator<String> for Tenants {
    fn from_iter<I: IntoIterator<Item = String>>(tenants: I) -> Self {
        let tenants: Vec<_> = tenants.into_iter().collect();
        Self::matching(move |tenant| tenants.iter().any(|it| it == tenant))
    }
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tenants").finish_non_exhaustive()
    }
}
