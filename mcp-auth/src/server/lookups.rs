//! Tokens that are looked up somewhere, each of them once at the same time.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::introspection::Introspection;
use super::refusal::Refusal;
use super::token_cache::{TokenCache, TokenHash};
use super::verifier::{AnyVerifier, VerifyError};
use crate::jwt::{AccessTokenRules, Claims};

/// Time limit of one look-up. Below that of an access policy.
const TIME_LIMIT: Duration = Duration::from_secs(8);
/// Longest time for which a token that was looked up counts as valid.
const LIFETIME: Duration = Duration::from_secs(60);
/// How long a token that is not valid is remembered.
const REFUSED_LIFETIME: Duration = Duration::from_secs(5);
/// Pause after a look-up that failed.
pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// Number of tokens in a row that can't be looked up for a reason of their own, after which there is a
/// pause for all: the reason is probably not in the tokens.
const MAX_FAILURES: usize = 3;
/// Most look-ups at the same time.
const MAX_FLIGHTS: usize = 1024;

/// Looks the tokens of one issuer up: each of them once at the same time, and not again while the answer
/// is remembered.
pub(super) struct Lookups {
    place: Place,
    rules: AccessTokenRules,
    known: TokenCache<(Answer, Instant)>,
    state: Mutex<State>,
}

/// Where tokens are looked up.
pub(super) enum Place {
    Introspection(Introspection),
    Verifier(Arc<dyn AnyVerifier>),
}

/// What was found of a token.
pub(super) enum Found {
    Members(Map<String, Value>),
    Claims(Claims),
    Refused(Refusal),
}

/// Look-ups under way, and the time until which there are no others after one that failed.
#[derive(Default)]
struct State {
    flights: HashMap<TokenHash, watch::Receiver<Option<Answer>>>,
    paused_until: Option<Instant>,
    /// Tokens that failed for a reason of their own since the last answer.
    failures: HashSet<TokenHash>,
}

/// The claims of a token, and the time until which it counts as valid.
pub(super) type Answer = Result<(Claims, Instant), Refusal>;

impl Lookups {
    pub(super) fn new(place: Place, rules: AccessTokenRules) -> Arc<Self> {
        Arc::new(Self {
            place,
            rules,
            known: TokenCache::default(),
            state: Mutex::default(),
        })
    }

    /// Looks a token up, whose hash is `hash`, unless its answer is known or on the way.
    pub(super) async fn answer(
        self: &Arc<Self>,
        token: &str,
        hash: &TokenHash,
        now: SystemTime,
    ) -> Answer {
        let mut flight = {
            let mut state = self.state();
            let started = Instant::now();
            if let Some((answer, end)) = self.known.get(hash)
                && started < end
            {
                return answer;
            }
            let under_way = state.flights.get(hash).cloned();
            match under_way.filter(|flight| flight.has_changed().is_ok()) {
                Some(flight) => flight,
                None => {
                    state.check(started)?;
                    let (sender, flight) = watch::channel(None);
                    state.flights.insert(*hash, flight.clone());
                    let this = Arc::clone(self);
                    let token = token.to_owned();
                    let hash = *hash;
                    // It goes on when the request is given up, as others wait for it.
                    tokio::spawn(async move {
                        let answer = this.look_up(&token, &hash, started, now).await;
                        sender.send_replace(Some(answer));
                    });
                    flight
                }
            }
        };
        let answer = flight.wait_for(Option::is_some).await;
        let answer = answer.ok().and_then(|answer| answer.clone());
        answer.unwrap_or(Err(Refusal::Unavailable(PAUSE)))
    }

    /// Looks a token up, and remembers the answer.
    async fn look_up(
        &self,
        token: &str,
        hash: &TokenHash,
        started: Instant,
        now: SystemTime,
    ) -> Answer {
        let found = timeout(TIME_LIMIT, self.found(token)).await;
        let found = found.unwrap_or_else(|_| {
            mcp_runtime::log::warn!("a token was not verified within {TIME_LIMIT:?}");
            Err(VerifyError::Unavailable(PAUSE))
        });
        let ended = Instant::now();
        self.state().ended(hash, found.as_ref().err(), ended);
        let (answer, end) = match found.map(|found| self.checked(found, now)) {
            Err(error) => {
                let end = ended + error.pause();
                (Err(error.into()), end)
            }
            Ok(Err(refusal)) => (Err(refusal), ended + REFUSED_LIFETIME),
            // As of when the question was asked: a revocation may follow at once.
            Ok(Ok(claims)) => (Ok((claims, started + LIFETIME)), started + LIFETIME),
        };
        let mut state = self.state();
        self.known.insert(*hash, (answer.clone(), end));
        state.flights.remove(hash);
        answer
    }

    async fn found(&self, token: &str) -> Result<Found, VerifyError> {
        match &self.place {
            Place::Introspection(introspection) => introspection.found(token).await,
            Place::Verifier(verifier) => match verifier.verified(token).await {
                Ok(claims) => Ok(Found::Claims(claims)),
                Err(VerifyError::Invalid(text)) => Ok(Found::Refused(Refusal::Token(text))),
                Err(error) => Err(error),
            },
        }
    }

    /// Checks what was found by the rules of the issuer.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Decides whether there is a pause for all tokens after a look-up.
    fn ended(&mut self, hash: &TokenHash, failure: Option<&VerifyError>, now: Instant) {
        self.failures.insert(*hash);
        self.paused_until = match failure {
            Some(VerifyError::TokenUnavailable(_)) if self.failures.len() < MAX_FAILURES => return,
            Some(VerifyError::TokenUnavailable(pause)) => Some(now + *pause),
            Some(_) => Some(now + PAUSE),
            None => None,
        };
        self.failures.clear();
    }

    /// Checks that one more token may be looked up.
    fn check(&self, now: Instant) -> Result<(), Refusal> {
        let rest = self.paused_until.map(|end| end.duration_since(now));
        match rest.filter(|rest| !rest.is_zero()) {
            Some(rest) => Err(Refusal::Unavailable(rest)),
            None if self.flights.len() >= MAX_FLIGHTS => Err(Refusal::Unavailable(PAUSE)),
            None => Ok(()),
        }
    }
}
