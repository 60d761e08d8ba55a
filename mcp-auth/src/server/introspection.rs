//! Introspection of opaque tokens (RFC 7662).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use form_urlencoded::Serializer;
use http::Request;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::discovery::{Discovery, FetchError};
use super::issuer::IntrospectionClient;
use super::refusal::Refusal;
use super::token_cache::{TokenCache, TokenHash};
use crate::basic::basic;
use crate::jwt::{AccessTokenRules, Claims, TokenError, members};

/// Time limit of an introspection, metadata included. Below that of an access policy.
const TIME_LIMIT: Duration = Duration::from_secs(8);
/// Longest time for which a token that was introspected counts as valid.
const LIFETIME: Duration = Duration::from_secs(60);
/// How long a token that is not valid is remembered.
const REFUSED_LIFETIME: Duration = Duration::from_secs(5);
/// Pause after an introspection that failed.
const PAUSE: Duration = Duration::from_secs(1);
/// Most introspections at the same time.
const MAX_FLIGHTS: usize = 1024;

/// Introspects the tokens of one issuer: each of them once at the same time, and not again while the
/// answer is remembered.
pub(super) struct Introspection {
    pub(super) discovery: Arc<Discovery>,
    pub(super) client: IntrospectionClient,
    pub(super) rules: AccessTokenRules,
    pub(super) known: TokenCache<(Answer, Instant)>,
    pub(super) state: Mutex<State>,
}

/// Introspections under way, and the time of the last one that failed.
#[derive(Default)]
pub(super) struct State {
    flights: HashMap<TokenHash, watch::Receiver<Option<Answer>>>,
    failed_at: Option<Instant>,
}

/// The claims of a token, and the time until which it counts as valid; none if it is not active.
pub(super) type Answer = Result<Option<(Claims, Instant)>, Refusal>;

impl Introspection {
    /// Asks the issuer about a token, whose hash is `hash`, unless its answer is known or on the way.
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
                    let (this, token, hash) = (Arc::clone(self), token.to_owned(), *hash);
                    // It goes on when the request is given up, as others wait for it.
                    tokio::spawn(async move {
                        let answer = this.ask(&token, &hash, started, now).await;
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

    /// Asks the issuer about a token, and remembers the answer.
    async fn ask(
        &self,
        token: &str,
        hash: &TokenHash,
        started: Instant,
        now: SystemTime,
    ) -> Answer {
        let asked = timeout(TIME_LIMIT, self.response(token)).await;
        let asked = asked.unwrap_or_else(|_| {
            let cause = format!("it has not introspected a token within {TIME_LIMIT:?}");
            Err(FetchError::network(&self.discovery.issuer, cause))
        });
        if let Err(error) = &asked {
            tracing::warn!(%error, "a token can't be introspected");
        }
        let has_failed = asked.as_ref().is_err_and(|error| !error.is_of_request());
        if has_failed {
            self.discovery.expire().await;
        }
        let ended = Instant::now();
        let (answer, end) = match asked {
            Err(_) => (Err(Refusal::Unavailable(PAUSE)), ended + PAUSE),
            Ok(response) if response.get("active") != Some(&Value::Bool(true)) => {
                (Ok(None), ended + REFUSED_LIFETIME)
            }
            Ok(response) => match claims(response, &self.rules, now) {
                // As of when the issuer was asked: a revocation may follow at once.
                Ok(claims) => (Ok(Some((claims, started + LIFETIME))), started + LIFETIME),
                Err(error) => (Err(error.into()), ended + REFUSED_LIFETIME),
            },
        };
        let mut state = self.state();
        state.failed_at = has_failed.then_some(ended);
        self.known.insert(*hash, (answer.clone(), end));
        state.flights.remove(hash);
        answer
    }

    async fn response(&self, token: &str) -> Result<Map<String, Value>, FetchError> {
        let Self {
            discovery, client, ..
        } = self;
        let metadata = discovery.metadata().await?;
        let url = metadata.introspection_endpoint.as_deref();
        let url = discovery.endpoint("introspection_endpoint", url)?;
        let request = Request::post(url)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(AUTHORIZATION, basic(&client.id, &client.secret))
            .body(form(token));
        let response = discovery.send(url, request).await?;
        let response = members::parse(&response);
        response.ok_or_else(|| FetchError::answer(url, "its answer is no JSON object"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Checks that the issuer may be asked about one more token.
    fn check(&self, now: Instant) -> Result<(), Refusal> {
        let since_failure = self.failed_at.map(|at| now.duration_since(at));
        let rest = since_failure.and_then(|since| PAUSE.checked_sub(since));
        match rest.filter(|rest| !rest.is_zero()) {
            Some(rest) => Err(Refusal::Unavailable(rest)),
            None if self.flights.len() >= MAX_FLIGHTS => Err(Refusal::Unavailable(PAUSE)),
            None => Ok(()),
        }
    }
}

fn form(token: &str) -> String {
    let mut form = Serializer::new(String::new());
    form.append_pair("token", token);
    form.append_pair("token_type_hint", "access_token");
    form.finish()
}

/// The claims of a token that is active.
fn claims(
    mut answer: Map<String, Value>,
    rules: &AccessTokenRules,
    now: SystemTime,
) -> Result<Claims, TokenError> {
    let kind = match answer.get("token_type") {
        None => None,
        Some(Value::String(kind)) => Some(kind.to_ascii_lowercase()),
        Some(_) => return Err(TokenError::InvalidClaim("token_type")),
    };
    // Who has answered is its issuer, if it names none.
    let issuer = || Value::String(rules.issuer().to_owned());
    answer.entry("iss").or_insert_with(issuer);
    let claims = Claims::new(answer)?;
    let is_bound = claims.key_thumbprint().is_some();
    match kind.as_deref() {
        None | Some("bearer") => {}
        Some("dpop") if is_bound => {}
        Some(_) => return Err(TokenError::InvalidClaim("token_type")),
    }
    rules.check(&claims, now)?;
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(members: Value) -> Result<Claims, TokenError> {
        let mut answer = json!({"active": true, "sub": "s", "aud": "r", "exp": 1000});
        for (name, value) in members.as_object().unwrap() {
            answer[name] = value.clone();
        }
        let rules = AccessTokenRules::new("https://issuer", "r");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(500);
        claims(answer.as_object().unwrap().clone(), &rules, now)
    }

    #[test]
    fn the_issuer_that_answers_is_the_tokens() {
        assert_eq!(read(json!({})).unwrap().issuer(), "https://issuer");
        let other = read(json!({"iss": "https://other"}));
        assert_eq!(other.unwrap_err(), TokenError::Issuer);
    }

    #[test]
    fn active_tokens_are_checked_all_the_same() {
        for (members, error) in [
            (json!({"aud": "other"}), TokenError::Audience),
            (json!({"aud": null}), TokenError::InvalidClaim("aud")),
            (json!({"exp": 1}), TokenError::Expired),
            (json!({"nbf": 900}), TokenError::NotYetValid),
            (
                json!({"token_type": "N_A"}),
                TokenError::InvalidClaim("token_type"),
            ),
            (
                json!({"token_type": 1}),
                TokenError::InvalidClaim("token_type"),
            ),
            // A token that is bound to a key which is not named.
            (
                json!({"token_type": "DPoP"}),
                TokenError::InvalidClaim("token_type"),
            ),
        ] {
            assert_eq!(read(members.clone()).unwrap_err(), error, "{members}");
        }
        let bound = read(json!({"token_type": "dpop", "cnf": {"jkt": "k"}}));
        assert_eq!(bound.unwrap().key_thumbprint(), Some("k"));
        assert!(read(json!({"token_type": "bearer"})).is_ok());
    }
}
