//! A log of refused tokens that helps to set up a server.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};
use std::sync::Mutex;

use serde_json::Value;

use super::refusal::Refusal;
use super::token_issuer::TokenIssuer;
use crate::jwt::{Jws, TokenError, unverified_claim};
use crate::limits::server::MAX_QUOTED_CHARS;
use crate::util::lock;

/// Logs why tokens are refused, with the setting that would accept them. Each reason is logged
/// once. The response to the client says less.
#[derive(Default)]
pub(super) struct RefusalLog(Mutex<HashSet<Reason>>);

/// The index of the issuer that the token names, and the kind of the error.
type Reason = (Option<usize>, Option<Discriminant<TokenError>>);

impl RefusalLog {
    /// Logs that a token was refused because it violates a rule. Expired and unknown tokens are not
    /// logged, because they are common in normal operation.
    pub(super) fn refused(
        &self,
        token: &str,
        refusal: &Refusal,
        issuers: &[TokenIssuer],
        has_verifier: bool,
    ) {
        let Refusal::Rule(error) = refusal else {
            return;
        };
        let name = claim(token, "iss");
        let name = name.as_ref().and_then(Value::as_str);
        let number = issuers
            .iter()
            .position(|it| name.is_some_and(|name| it.rules.is_of(name)));
        if *error == TokenError::Expired || !self.is_new((number, Some(discriminant(error)))) {
            return;
        }
        let advice = match number {
            _ if has_verifier => "the verifier decides about its claims".to_owned(),
            Some(number) => of_issuer(token, error, &issuers[number]),
            None => of_none(error, name, issuers),
        };
        mcp_runtime::log::warn!(%error, "a token is refused: {advice} (each reason is logged once)");
    }

    /// Logs that a valid token lacks scopes that every request needs.
    pub(super) fn lacks_scopes<'a>(
        &self,
        granted: impl Iterator<Item = &'a str>,
        needed: &[String],
    ) {
        if self.is_new((None, None)) {
            let granted: Vec<_> = granted.collect();
            let granted = quoted(&granted.join(" "));
            mcp_runtime::log::warn!(
                "a token has the scopes {granted}, but not all of {needed:?}: configure the issuer \
                 to grant them; if it adds a prefix to their names, set it with \
                 `Issuer::scope_prefix` (this is logged once)"
            );
        }
    }

    fn is_new(&self, reason: Reason) -> bool {
        let mut logged = lock(&self.0);
        logged.insert(reason)
    }
}

/// Advice for a token of a configured issuer.
fn of_issuer(token: &str, error: &TokenError, issuer: &TokenIssuer) -> String {
    let rules = &issuer.rules;
    let (audiences, audience_claim) = rules.audiences();
    match error {
        TokenError::Type if rules.accepts_generic_type() => {
            "it is an ID token or a refresh token: the client must send its access token".to_owned()
        }
        TokenError::Type => {
            let jws = Jws::parse(token).ok();
            let kind = jws.as_ref().and_then(|it| it.header().media_type());
            let kind = kind.map_or("no type".to_owned(), |it| {
                format!("the type {}", quoted(it))
            });
            format!(
                "it has {kind}: set `Issuer::accept_generic_type` if {} issues no other type",
                rules.issuer()
            )
        }
        TokenError::Audience => {
            let found = claim(token, audience_claim);
            let found = found.map_or("others".to_owned(), |it| quoted(&it.to_string()));
            format!(
                "`{audience_claim}` is {found}, which is not one of {audiences:?}: configure the \
                 issuer to use the resource as the audience, or set its audience with \
                 `Issuer::audience`"
            )
        }
        TokenError::MissingClaim("aud") => format!(
            "it has no `{audience_claim}`: set `Issuer::audience_claim` if the issuer uses another \
             claim, or `Issuer::introspection_without_audience` if its introspection reports no \
             audience"
        ),
        TokenError::Claims => {
            "see the settings `Issuer::require_claim` and `Issuer::require`".to_owned()
        }
        TokenError::Algorithm => "see `Issuer::algorithms`".to_owned(),
        TokenError::UnknownKey | TokenError::Signature => {
            "the keys of its issuer do not verify it: set `Issuer::keys_url` if the keys are \
             elsewhere"
                .to_owned()
        }
        TokenError::NotYetValid => "check the clocks, and see `Issuer::leeway`".to_owned(),
        _ => "ask the operator of the issuer".to_owned(),
    }
}

/// Advice for a token that no configured issuer has issued.
fn of_none(error: &TokenError, name: Option<&str>, issuers: &[TokenIssuer]) -> String {
    let issuers: Vec<_> = issuers.iter().map(|it| it.rules.issuer()).collect();
    match (error, name) {
        (TokenError::Malformed, _) => {
            "if the issuer issues opaque tokens, set `Issuer::introspection`".to_owned()
        }
        (TokenError::Algorithm, _) => {
            "configure the issuer to sign with a public-key algorithm, such as RS256 or ES256"
                .to_owned()
        }
        (_, Some(name)) => format!(
            "`iss` is {}, but the issuers are {issuers:?}, which are compared character by \
             character, including the `/` at the end",
            quoted(name)
        ),
        _ => format!("see the issuers {issuers:?}"),
    }
}

/// An unverified claim of a JWT.
fn claim(token: &str, name: &str) -> Option<Value> {
    unverified_claim(token, name).ok().flatten()
}

/// Quotes a string from a token, shortened.
fn quoted(text: &str) -> String {
    format!(
        "{:?}",
        text.chars().take(MAX_QUOTED_CHARS).collect::<String>()
    )
}
