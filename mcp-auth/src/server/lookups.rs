//! Token lookups at an issuer or a verifier. Concurrent lookups of the same token are shared.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use serde_json::{Map, Value};
use tokio::time::{Instant, timeout};

use super::introspection::Introspection;
use super::refusal::Refusal;
use super::token_cache::{Flight, SentToken, TokenCache, TokenHash};
use super::verifier::{ErasedVerifier, VerifyError};
use crate::jwt::{AccessTokenRules, Claims};
use crate::limits::server::{
    ISSUER_PAUSE, ISSUER_TIMEOUT, MAX_FAILED_LOOKUPS, MAX_LOOKUPS, REFUSED_LIFETIME, TOKEN_LIFETIME,
};
use crate::util::lock;

/// Looks up the tokens of one issuer. Concurrent lookups of a token are shared, and results are
/// cached.
pub(super) struct Lookups {
    place: Place,
    rules: AccessTokenRules,
    known: TokenCache<(Answer, Instant)>,
    state: Mutex<State>,
}

pub(super) enum Place {
    Introspection(Introspection),
    Verifier(Arc<dyn ErasedVerifier>),
}

pub(super) enum Found {
    Members(Map<String, Value>),
    Claims(Claims),
    Refused(Refusal),
}

#[derive(Default)]
struct State {
    flights: HashMap<TokenHash, Flight<Answer>>,
    paused_until: Option<Instant>,
    /// Consecutive tokens whose lookup failed with an error about the token itself.
    failures: HashSet<TokenHash>,
}

/// The claims of a token, and the time until which the token is considered valid.
type Answer = Result<(Claims, Instant), Refusal>;

impl Lookups {
    pub(super) fn new(place: Place, rules: AccessTokenRules) -> Arc<Self> {
        Arc::new(Self {
            place,
            rules,
            known: TokenCache::default(),
            state: Mutex::default(),
        })
    }

    /// Looks up a token, unless its result is cached or a lookup is running.
    pub(super) async fn answer(self: &Arc<Self>, token: SentToken<'_>) -> Answer {
        let SentToken { text, hash, now } = token;
        let flight = {
            let mut state = self.state();
            let started = Instant::now();
            if let Some((answer, end)) = self.known.get(&hash)
                && started < end
            {
                return answer;
            }
            let under_way = state.flights.get(&hash).cloned();
            match under_way.filter(Flight::is_under_way) {
                Some(flight) => flight,
                None => {
                    state.check(started)?;
                    let this = Arc::clone(self);
                    let text = text.to_owned();
                    let work = async move { this.look_up(&text, &hash, started, now).await };
                    let flight = Flight::begin(work);
                    state.flights.insert(hash, flight.clone());
                    flight
                }
            }
        };
        let unavailable = Err(Refusal::Unavailable(ISSUER_PAUSE));
        flight.result().await.unwrap_or(unavailable)
    }

    async fn look_up(
        &self,
        token: &str,
        hash: &TokenHash,
        started: Instant,
        now: SystemTime,
    ) -> Answer {
        let found = timeout(ISSUER_TIMEOUT, self.found(token)).await;
        let found = found.unwrap_or_else(|_| {
            mcp_runtime::log::warn!("a token was not verified within {ISSUER_TIMEOUT:?}");
            Err(VerifyError::Unavailable(ISSUER_PAUSE))
        });
        let ended = Instant::now();
        self.state().ended(hash, found.as_ref().err(), ended);
        let (answer, end) = match found.map(|found| self.checked(found, now)) {
            Err(error) => {
                let end = ended + error.pause();
                (Err(error.into()), end)
            }
            Ok(Err(refusal)) => (Err(refusal), ended + REFUSED_LIFETIME),
            // The lifetime begins when the lookup started, because a revocation may follow
            // immediately.
            Ok(Ok(claims)) => (
                Ok((claims, started + TOKEN_LIFETIME)),
                started + TOKEN_LIFETIME,
            ),
        };
        let mut state = self.state();
        self.known.insert(*hash, (answer.clone(), end));
        state.flights.remove(hash);
        answer
    }

    async fn found(&self, token: &str) -> Result<Found, VerifyError> {
        match &self.place {
            Place::Introspection(introspection) => introspection.found(token).await,
            Place::Verifier(verifier) => match verifier.verify(token).await {
                Ok(claims) => Ok(Found::Claims(claims)),
                Err(VerifyError::Invalid(text)) => Ok(Found::Refused(Refusal::Token(text))),
                Err(error) => Err(error),
            },
        }
    }

    fn checked(&self, found: Found, now: SystemTime) -> Result<Claims, Refusal> {
        let claims = match found {
            Found::Members(members) => self.rules.claims(members)?,
            Found::Claims(claims) => claims,
            Found::Refused(refusal) => return Err(refusal),
        };
        self.rules.check(&claims, now)?;
        Ok(claims)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Decides whether a completed lookup pauses all further lookups.
    fn ended(&mut self, hash: &TokenHash, failure: Option<&VerifyError>, now: Instant) {
        self.failures.insert(*hash);
        self.paused_until = match failure {
            Some(VerifyError::TokenUnavailable(_)) if self.failures.len() < MAX_FAILED_LOOKUPS => {
                return;
            }
            Some(VerifyError::TokenUnavailable(pause)) => Some(now + *pause),
            Some(_) => Some(now + ISSUER_PAUSE),
            None => None,
        };
        self.failures.clear();
    }

    fn check(&self, now: Instant) -> Result<(), Refusal> {
        let rest = self.paused_until.map(|end| end.duration_since(now));
        match rest.filter(|rest| !rest.is_zero()) {
            Some(rest) => Err(Refusal::Unavailable(rest)),
            None if self.flights.len() >= MAX_LOOKUPS => Err(Refusal::Unavailable(ISSUER_PAUSE)),
            None => Ok(()),
        }
    }
}
