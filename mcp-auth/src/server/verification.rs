//! Verification of access tokens, by whatever they need.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::access_token::{Source, VerifiedToken};
use super::discovery::Discovery;
use super::introspection::Introspection;
use super::issuer::Issuer;
use super::keys::Keys;
use super::refusal::{Answers, Refusal};
use super::scopes::Implied;
use super::token_cache::{TokenCache, TokenHash};
use super::verifier::AnyVerifier;
use crate::jwt::{AccessTokenRules, Claims, Jws, TokenError, unverified_issuer};
use mcp_runtime::transport::http_client::AuthHttp;
use tokio::time::Instant;

/// Verifies tokens, and remembers those that are valid.
pub(super) struct Verification {
    /// The identifier of the resource.
    pub(super) resource: String,
    pub(super) issuers: Vec<TokenIssuer>,
    pub(super) verifier: Option<Arc<dyn AnyVerifier>>,
    pub(super) implied: Implied,
    pub(super) answers: Arc<Answers>,
    pub(super) cache: TokenCache<Arc<VerifiedToken>>,
}

/// An issuer, and what has been fetched from it.
pub(super) struct TokenIssuer {
    rules: AccessTokenRules,
    keys: Arc<Keys>,
    /// Absent if the issuer introspects no tokens.
    introspection: Option<Arc<Introspection>>,
}

impl TokenIssuer {
    pub(super) fn new(issuer: &Issuer, resource: &str, http: AuthHttp) -> Self {
        let discovery = Arc::new(Discovery::new(issuer.rules.issuer(), http));
        let rules = issuer.rules.clone().audience(resource);
        let introspection = issuer.client.as_ref().map(|client| {
            Arc::new(Introspection {
                discovery: Arc::clone(&discovery),
                client: client.clone(),
                rules: rules.clone(),
                known: TokenCache::default(),
                state: Mutex::default(),
            })
        });
        Self {
            rules,
            keys: Keys::new(discovery),
            introspection,
        }
    }
}

impl Verification {
    /// Verifies a token, whose hash is `hash`.
    pub(super) async fn verify(
        &self,
        token: &str,
        hash: &TokenHash,
        now: SystemTime,
    ) -> Result<Arc<VerifiedToken>, Refusal> {
        let known = self.cache.get(hash);
        if let Some(known) = &known
            && self.is_still_valid(known, now)
        {
            return Ok(Arc::clone(known));
        }
        let verified = if let Some(verifier) = &self.verifier {
            let claims = verifier.verified(token).await?;
            let rules = AccessTokenRules::new(claims.issuer(), &self.resource);
            rules.check(&claims, now)?;
            self.verified(claims, &rules, Source::Verifier)
        } else if matches!(Jws::parse(token), Err(TokenError::Malformed)) {
            self.introspected(token, hash, now).await?
        } else {
            self.by_keys(token, hash, known.is_some(), now).await?
        };
        let verified = Arc::new(verified);
        if verified.source != Source::Verifier {
            self.cache.insert(*hash, Arc::clone(&verified));
        }
        Ok(verified)
    }

    fn is_still_valid(&self, token: &VerifiedToken, now: SystemTime) -> bool {
        let holds = match token.source {
            Source::Keys(issuer, generation) => {
                self.issuers[issuer].keys.current_generation() == Some(generation)
            }
            Source::Introspection(end) => Instant::now() < end,
            Source::Verifier => false,
        };
        holds && now < token.end
    }

    /// Verifies a JWT by the keys of the issuer that it names. `was_known` is true if it was verified
    /// by earlier keys.
    async fn by_keys(
        &self,
        token: &str,
        hash: &TokenHash,
        was_known: bool,
        now: SystemTime,
    ) -> Result<VerifiedToken, Refusal> {
        let name = unverified_issuer(token)?;
        let mut issuers = self.issuers.iter();
        let number = issuers.position(|issuer| issuer.rules.issuer() == name);
        let number = number.ok_or(TokenError::Issuer)?;
        let TokenIssuer { rules, keys, .. } = &self.issuers[number];
        let mut fetched = keys.get().await.map_err(Refusal::Unavailable)?;
        let mut claims = rules.verify(token, &fetched.set, now);
        if may_have_a_new_key(token, &claims) {
            let seen = keys.first_seen(hash);
            let newer = keys.after_unknown_key(fetched.generation).await;
            fetched = newer.map_err(Refusal::Unavailable)?;
            claims = rules.verify(token, &fetched.set, now);
            // A key that was there before is no new one.
            if !was_known && may_have_a_new_key(token, &claims) {
                keys.check_fetched_since(seen)
                    .map_err(Refusal::Unavailable)?;
            }
        }
        Ok(self.verified(claims?, rules, Source::Keys(number, fetched.generation)))
    }

    /// Asks the issuers about an opaque token, one after the other.
    async fn introspected(
        &self,
        token: &str,
        hash: &TokenHash,
        now: SystemTime,
    ) -> Result<VerifiedToken, Refusal> {
        let mut refusal = None;
        for issuer in &self.issuers {
            let Some(introspection) = &issuer.introspection else {
                continue;
            };
            match introspection.answer(token, hash, now).await {
                Ok(Some((claims, end))) => {
                    let source = Source::Introspection(end);
                    return Ok(self.verified(claims, &issuer.rules, source));
                }
                Ok(None) => {
                    let inactive = Refusal::Token("the token is not active".into());
                    refusal = refusal.or(Some(inactive));
                }
                // It may be valid there: this counts more.
                Err(error) => refusal = Some(error),
            }
        }
        Err(refusal.unwrap_or_else(|| TokenError::Malformed.into()))
    }

    fn verified(&self, claims: Claims, rules: &AccessTokenRules, source: Source) -> VerifiedToken {
        let end = rules.end(&claims);
        VerifiedToken::new(claims, end, source, &self.implied, &self.answers)
    }
}

/// True if the token may be signed by a key that was not there when the keys were fetched.
fn may_have_a_new_key(token: &str, verified: &Result<Claims, TokenError>) -> bool {
    match verified {
        Err(TokenError::UnknownKey) => true,
        Err(TokenError::Signature) => {
            Jws::parse(token).is_ok_and(|jws| jws.header().key_id().is_none())
        }
        _ => false,
    }
}
