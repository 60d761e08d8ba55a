//! A token that was verified, and what follows from it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use mcp_runtime::transport::http::{Principal, ScopeCheck};

use super::credentials::Scheme;
use super::refusal::{Answers, Refusal};
use crate::jwt::Claims;
use crate::limits::server::TOKEN_LIFETIME;
use tokio::time::Instant;

/// A verified token, ready for the next request with it.
pub(super) struct VerifiedToken {
    pub(super) claims: Claims,
    pub(super) principal: Principal,
    /// Granted scopes and those that they imply.
    pub(super) scopes: Arc<HashSet<String>>,
    pub(super) scope_check: ScopeCheck,
    /// The time at which it is not accepted any more, leeway included.
    pub(super) end: SystemTime,
    pub(super) source: Source,
}

/// The reason why a token counts as valid, which may cease to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Keys of an issuer, by its number, of this generation.
    Keys(usize, u64),
    /// What was found where tokens are looked up, until this time.
    Lookup(Instant),
    /// The user's own verifier, which is asked each time.
    Verifier,
}

impl VerifiedToken {
    /// The time at which the token of an open stream is to be verified again.
    pub(super) fn lapses_at(&self) -> Instant {
        match self.source {
            Source::Lookup(end) => end,
            Source::Keys(..) | Source::Verifier => Instant::now() + TOKEN_LIFETIME,
        }
    }

    /// True if the token has the same owner and key as `other`, and all of its scopes.
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

/// Issuer and subject; without a subject, issuer and client. In JSON, as no other two are joined to
/// the same text.
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
    use super::*;
    use serde_json::json;

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
