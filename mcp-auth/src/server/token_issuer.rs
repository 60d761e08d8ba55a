//! An issuer, with what is fetched from it.

use std::sync::Arc;
use std::time::SystemTime;

use mcp_runtime::transport::http_client::AuthHttp;

use super::access_token::Source;
use super::discovery::Discovery;
use super::introspection::Introspection;
use super::issuer::Issuer;
use super::keys::Keys;
use super::lookups::{Lookups, Place};
use super::refusal::Refusal;
use super::token_cache::TokenHash;
use crate::jwt::{AccessTokenRules, Claims, Jws, TokenError};
use crate::metadata::url::ServerUrl;

/// Verifies the tokens of one issuer.
pub(super) struct TokenIssuer {
    pub(super) rules: AccessTokenRules,
    pub(super) scope_prefix: String,
    keys: Arc<Keys>,
    /// Absent if tokens are verified by keys alone.
    lookups: Option<Arc<Lookups>>,
    looks_jwts_up: bool,
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

    /// Verifies a JWT that names this issuer, which is number `number`. `was_known` is true if it was
    /// verified by earlier keys.
    pub(super) async fn jwt(
        &self,
        number: usize,
        token: &str,
        hash: &TokenHash,
        was_known: bool,
        now: SystemTime,
    ) -> Result<(Claims, Source), Refusal> {
        if self.looks_jwts_up
            && let Some(found) = self.opaque(token, hash, now).await
        {
            return found;
        }
        let rules = &self.rules;
        let keys = &self.keys;
        let verified = keys.verify(rules, token, hash, was_known, now).await;
        verified.map(|(claims, generation)| (claims, Source::Keys(number, generation)))
    }

    /// Looks an opaque token up; `None` if this issuer has none.
    pub(super) async fn opaque(
        &self,
        token: &str,
        hash: &TokenHash,
        now: SystemTime,
    ) -> Option<Result<(Claims, Source), Refusal>> {
        let answer = self.lookups.as_ref()?.answer(token, hash, now).await;
        Some(answer.map(|(claims, end)| (claims, Source::Lookup(end))))
    }

    /// The generation of the keys, if they can be used at once.
    pub(super) fn current_generation(&self) -> Option<u64> {
        self.keys.current_generation()
    }
}

/// True if a token is no JWT.
pub(super) fn is_opaque(token: &str) -> bool {
    matches!(Jws::parse(token), Err(TokenError::Malformed))
}

/// What `aud` may be for a resource: its identifier, and, if its path is empty, that with or without `/`,
/// as there are clients that ask for the other one.
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
