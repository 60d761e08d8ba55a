//! Verification of access tokens by keys, lookups or the user's verifier.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use mcp_runtime::transport::http::{Principal, ScopeCheck};
use tokio::time::Instant;

use super::credentials::Scheme;
use super::refusal::{Answers, Refusal};
use super::refusal_log::RefusalLog;
use super::scopes::Implied;
use super::token_cache::{SentToken, TokenCache};
use super::token_issuer::{Source, TokenIssuer, audiences, is_opaque};
use super::verifier::ErasedVerifier;
use crate::jwt::{AccessTokenRules, Claims, TokenError, unverified_issuer};
use crate::limits::server::TOKEN_LIFETIME;

/// Verifies tokens and caches those that are valid.
pub(super) struct Verification {
    pub(super) resource: String,
    pub(super) issuers: Vec<TokenIssuer>,
    pub(super) verifier: Option<Arc<dyn ErasedVerifier>>,
    pub(super) implied: Implied,
    pub(super) answers: Arc<Answers>,
    pub(super) cache: TokenCache<Arc<VerifiedToken>>,
    pub(super) log: RefusalLog,
}

impl Verification {
    pub(super) async fn verify(&self, token: SentToken<'_>) -> Result<Arc<VerifiedToken>, Refusal> {
        let verified = self.verified_before_or_now(token).await;
        verified.inspect_err(|refusal| {
            let has_verifier = self.verifier.is_some();
            self.log
                .refused(token.text, refusal, &self.issuers, has_verifier);
        })
    }

    async fn verified_before_or_now(
        &self,
        token: SentToken<'_>,
    ) -> Result<Arc<VerifiedToken>, Refusal> {
        let known = self.cache.get(&token.hash);
        if let Some(known) = &known
            && self.is_still_valid(known, token.now)
        {
            return Ok(Arc::clone(known));
        }
        let verified = if let Some(verifier) = &self.verifier {
            let claims = verifier.verify(token.text).await?;
            let rules = AccessTokenRules::of_issuer(claims.issuer().to_owned());
            let rules = audiences(&self.resource).fold(rules, AccessTokenRules::audience);
            rules.check(&claims, token.now)?;
            self.verified(claims, &rules, "", Source::Verifier)
        } else if is_opaque(token.text) {
            self.opaque(token).await?
        } else {
            self.jwt(token, known.is_some()).await?
        };
        let verified = Arc::new(verified);
        if verified.source != Source::Verifier {
            self.cache.insert(token.hash, Arc::clone(&verified));
        }
        Ok(verified)
    }

    fn is_still_valid(&self, token: &VerifiedToken, now: SystemTime) -> bool {
        let holds = match token.source {
            Source::Keys(issuer, generation) => {
                self.issuers[issuer].current_generation() == Some(generation)
            }
            Source::Lookup(end) => Instant::now() < end,
            Source::Verifier => false,
        };
        holds && now < token.end
    }

    async fn jwt(&self, token: SentToken<'_>, was_known: bool) -> Result<VerifiedToken, Refusal> {
        let name = unverified_issuer(token.text)?;
        let number = self.issuers.iter().position(|it| it.rules.is_of(&name));
        let number = number.ok_or(TokenError::Issuer)?;
        let issuer = &self.issuers[number];
        let (claims, source) = issuer.jwt(number, token, was_known).await?;
        Ok(self.verified(claims, &issuer.rules, &issuer.scope_prefix, source))
    }

    /// Asks the issuers in turn about an opaque token.
    async fn opaque(&self, token: SentToken<'_>) -> Result<VerifiedToken, Refusal> {
        let mut refusal = None;
        for issuer in &self.issuers {
            match issuer.opaque(token).await {
                None => {}
                Some(Ok((claims, source))) => {
                    let prefix = &issuer.scope_prefix;
                    return Ok(self.verified(claims, &issuer.rules, prefix, source));
                }
                Some(Err(Refusal::NotActive)) => refusal = refusal.or(Some(Refusal::NotActive)),
                // The token may be valid at this issuer, so its error takes precedence.
                Some(Err(error)) => refusal = Some(error),
            }
        }
        Err(refusal.unwrap_or_else(|| TokenError::Malformed.into()))
    }

    fn verified(
        &self,
        claims: Claims,
        rules: &AccessTokenRules,
        scope_prefix: &str,
        source: Source,
    ) -> VerifiedToken {
        let granted = claims.scopes();
        let granted = granted.map(|it| it.strip_prefix(scope_prefix).unwrap_or(it));
        let scopes = self.implied.all(granted);
        let end = rules.end(&claims);
        VerifiedToken::new(claims, scopes, end, source, &self.answers)
    }
}

/// A verified token, in the form that later requests with the same token need.
pub(super) struct VerifiedToken {
    pub(super) claims: Claims,
    pub(super) principal: Principal,
    /// The granted scopes and the scopes that they imply.
    pub(super) scopes: Arc<HashSet<String>>,
    pub(super) scope_check: ScopeCheck,
    /// The time from which the token is no longer accepted, including the leeway.
    pub(super) end: SystemTime,
    source: Source,
}

impl VerifiedToken {
    /// When the token of an open stream must be verified again.
    pub(super) fn lapses_at(&self) -> Instant {
        match self.source {
            Source::Lookup(end) => end,
            Source::Keys(..) | Source::Verifier => Instant::now() + TOKEN_LIFETIME,
        }
    }

    /// Returns true if the token has the same owner and key as `other`, and all of its scopes.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.principal == other.principal
            && self.claims.key_thumbprint() == other.claims.key_thumbprint()
            && self.scopes.is_superset(&other.scopes)
    }

    pub(super) fn new(
        claims: Claims,
        scopes: HashSet<String>,
        end: SystemTime,
        source: Source,
        answers: &Arc<Answers>,
    ) -> Self {
        let scopes = Arc::new(scopes);
        let scheme = match claims.key_thumbprint() {
            Some(_) => Scheme::Dpop,
            None => Scheme::Bearer,
        };
        Self {
            principal: principal(&claims),
            scope_check: scope_check(Arc::clone(&scopes), Arc::clone(answers), scheme),
            claims,
            scopes,
            end,
            source,
        }
    }
}

fn scope_check(granted: Arc<HashSet<String>>, answers: Arc<Answers>, scheme: Scheme) -> ScopeCheck {
    ScopeCheck::new(move |needed| {
        if needed.iter().all(|scope| granted.contains(*scope)) {
            return Ok(());
        }
        let needed = needed.iter().map(ToString::to_string).collect();
        Err(answers.answer(&Refusal::Scopes(needed), scheme))
    })
}

/// The principal consists of issuer and subject, or of issuer and client if there is no subject. It
/// is encoded as JSON, which gives each principal a different string.
fn principal(claims: &Claims) -> Principal {
    let (kind, id) = match claims.subject() {
        Some(subject) => ("sub", subject),
        None => ("client_id", claims.client_id().unwrap_or_default()),
    };
    let name = serde_json::json!([claims.issuer(), kind, id]);
    Principal::new(name.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use serde_json::{Map, Value, json};

    use super::*;
    use crate::jwt::{Jwk, JwkSet, SigningKey};
    use crate::server::{Issuer, ResourceServer};

    const RESOURCE: &str = "https://mcp.example.com/mcp";
    const LOGIN: &str = "https://login.example.com";
    /// The start of the tests' clocks, in seconds since 1970.
    const BASE: u64 = 1_000_000;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    /// A server that trusts one key, and a token that is signed with this key.
    fn server(claims: &Value) -> (ResourceServer, String) {
        let key = SigningKey::generate().unwrap();
        let jwk = Jwk::new(&object(&key.public_jwk())).unwrap();
        let keys = JwkSet::from_iter([jwk]);
        let mut all = json!({"iss": LOGIN, "aud": RESOURCE, "sub": "alice", "exp": BASE + 600});
        for (name, value) in object(claims) {
            all[name] = value;
        }
        let header = object(&json!({"typ": "at+jwt"}));
        let token = key.sign(header, &object(&all)).unwrap();
        let server = ResourceServer::new(RESOURCE).issuer(Issuer::new(LOGIN).keys(keys));
        (server, token)
    }

    /// Whether the token is accepted at each of these times, in order.
    async fn accepted(server: &ResourceServer, token: &str, times: &[i64]) -> Vec<bool> {
        let admission = server.admission().unwrap();
        let mut accepted = Vec::new();
        for time in times {
            let now = UNIX_EPOCH + Duration::from_secs(BASE.saturating_add_signed(*time));
            let verified = admission
                .verification
                .verify(SentToken::new(token, now))
                .await;
            accepted.push(verified.is_ok());
        }
        accepted
    }

    #[tokio::test]
    async fn a_token_lasts_until_its_end_whatever_the_clock_does() {
        let (server, token) = server(&json!({}));
        // The clock advances and stands still. The leeway is one minute.
        let times = [0, 0, 599, 659, 660, 660];
        let expected = [true, true, true, true, false, false];
        assert_eq!(accepted(&server, &token, &times).await, expected);
        // The clock steps back, forward and back again. The cached result neither prolongs nor ends
        // the token.
        let times = [0, 7200, -7200, 659, 660, 100];
        let expected = [true, false, true, true, false, true];
        assert_eq!(accepted(&server, &token, &times).await, expected);
    }

    #[tokio::test]
    async fn a_token_is_refused_before_its_begin_and_not_for_good() {
        let (server, token) = server(&json!({"nbf": BASE}));
        let times = [-3600, -61, -60, 0, 660];
        let expected = [false, false, true, true, false];
        assert_eq!(accepted(&server, &token, &times).await, expected);
    }

    fn name(issuer: &str, subject: Option<&str>, client: Option<&str>) -> String {
        let mut claims = json!({"iss": issuer, "aud": "a", "exp": 1});
        for (name, value) in [("sub", subject), ("client_id", client)] {
            if let Some(value) = value {
                claims[name] = json!(value);
            }
        }
        let claims = Claims::new(claims.as_object().unwrap().clone()).unwrap();
        principal(&claims).name().to_owned()
    }

    #[test]
    fn principals_are_distinct() {
        let names = [
            name("a", Some("b"), None),
            name("a", None, Some("b")),
            name("a", Some("b c"), None),
            name("a b", Some("c"), None),
            name("a\",\"sub\",\"b", Some("c"), None),
            name("a", Some("b\",\"sub\",\"c"), None),
        ];
        let distinct: HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        assert_eq!(name("a", Some("b"), Some("c")), names[0]);
    }
}
