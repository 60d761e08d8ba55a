//! Verification of access tokens, by whatever they need.

use std::sync::Arc;
use std::time::SystemTime;

use super::access_token::{Source, VerifiedToken};
use super::refusal::{Answers, Refusal};
use super::refusal_log::RefusalLog;
use super::scopes::Implied;
use super::token_cache::{TokenCache, TokenHash};
use super::token_issuer::{TokenIssuer, audiences, is_opaque};
use super::verifier::AnyVerifier;
use crate::jwt::{AccessTokenRules, Claims, TokenError, unverified_issuer};
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
    pub(super) log: RefusalLog,
}

impl Verification {
    /// Verifies a token, whose hash is `hash`.
    pub(super) async fn verify(
        &self,
        token: &str,
        hash: &TokenHash,
        now: SystemTime,
    ) -> Result<Arc<VerifiedToken>, Refusal> {
        let verified = self.verified_before_or_now(token, hash, now).await;
        verified.inspect_err(|refusal| {
            let has_verifier = self.verifier.is_some();
            self.log
                .refused(token, refusal, &self.issuers, has_verifier);
        })
    }

    async fn verified_before_or_now(
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
            let rules = AccessTokenRules::of_issuer(claims.issuer().to_owned());
            let rules = audiences(&self.resource).fold(rules, AccessTokenRules::audience);
            rules.check(&claims, now)?;
            self.verified(claims, &rules, "", Source::Verifier)
        } else if is_opaque(token) {
            self.opaque((token, hash), now).await?
        } else {
            self.jwt((token, hash), known.is_some(), now).await?
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
                self.issuers[issuer].current_generation() == Some(generation)
            }
            Source::Lookup(end) => Instant::now() < end,
            Source::Verifier => false,
        };
        holds && now < token.end
    }

    /// Verifies a JWT by the issuer that it names.
    async fn jwt(
        &self,
        token: (&str, &TokenHash),
        was_known: bool,
        now: SystemTime,
    ) -> Result<VerifiedToken, Refusal> {
        let name = unverified_issuer(token.0)?;
        let number = self.issuers.iter().position(|it| it.rules.is_of(&name));
        let number = number.ok_or(TokenError::Issuer)?;
        let issuer = &self.issuers[number];
        let (claims, source) = issuer.jwt(number, token, was_known, now).await?;
        Ok(self.verified(claims, &issuer.rules, &issuer.scope_prefix, source))
    }

    /// Asks the issuers about an opaque token, one after the other.
    async fn opaque(
        &self,
        token: (&str, &TokenHash),
        now: SystemTime,
    ) -> Result<VerifiedToken, Refusal> {
        let mut refusal = None;
        for issuer in &self.issuers {
            match issuer.opaque(token, now).await {
                None => {}
                Some(Ok((claims, source))) => {
                    let prefix = &issuer.scope_prefix;
                    return Ok(self.verified(claims, &issuer.rules, prefix, source));
                }
                Some(Err(Refusal::NotActive)) => refusal = refusal.or(Some(Refusal::NotActive)),
                // It may be valid there: this counts more.
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
