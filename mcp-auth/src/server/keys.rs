//! Keys of one issuer, which are fetched by one request at a time.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::discovery::{Discovery, FetchError};
use super::refusal::Refusal;
use super::token_cache::{Flight, SentToken, TokenCache, TokenHash};
use crate::jwt::{AccessTokenRules, Claims, JwkSet, Jws, TokenError};
use crate::limits::server::{
    ISSUER_PAUSE, ISSUER_TIMEOUT, KEYS_IDLE, KEYS_MAX_AGE, KEYS_PAUSE, KEYS_REFRESH,
};
use crate::util::lock;

/// Where the keys of an issuer are.
#[derive(Clone)]
pub(crate) enum KeySource {
    /// At `jwks_uri` of its metadata.
    Discovery,
    Url(String),
    /// Here.
    Given(Arc<JwkSet>),
}

/// The keys of an issuer.
pub(crate) struct Keys {
    discovery: Arc<Discovery>,
    source: KeySource,
    state: Mutex<KeyState>,
    /// The document that the keys are from.
    document: Mutex<Bytes>,
    /// The times at which tokens with unknown keys came first.
    unknown: TokenCache<Instant>,
}

impl Keys {
    pub(crate) fn new(discovery: Arc<Discovery>, source: KeySource) -> Arc<Self> {
        Arc::new(Self {
            discovery,
            source,
            state: Mutex::default(),
            document: Mutex::default(),
            unknown: TokenCache::default(),
        })
    }

    /// The keys for a token.
    ///
    /// # Errors
    ///
    /// If they can't be had: the time after which to try again.
    pub(crate) async fn get(self: &Arc<Self>) -> Result<Fetched, Duration> {
        let flight = {
            let mut state = self.state();
            match state.plan(Instant::now()) {
                Plan::Use(keys) => return Ok(keys),
                Plan::Refresh(keys) => {
                    self.begin(&mut state);
                    return Ok(keys);
                }
                Plan::Wait(rest) => return Err(rest),
                Plan::Fetch => self.begin(&mut state),
            }
        };
        flight.result().await;
        self.state().after_fetch(Instant::now())
    }

    /// The generation of the keys, if [`get`](Self::get) would return them at once. Has them fetched
    /// anew when it is time.
    pub(super) fn current_generation(self: &Arc<Self>) -> Option<u64> {
        let mut state = self.state();
        match state.plan(Instant::now()) {
            Plan::Use(keys) => Some(keys.generation),
            Plan::Refresh(keys) => {
                self.begin(&mut state);
                Some(keys.generation)
            }
            Plan::Fetch | Plan::Wait(_) => None,
        }
    }

    /// The keys for a token whose key is not among those of `generation`: fetched anew, unless that
    /// was done within the last 30 seconds.
    ///
    /// # Errors
    ///
    /// If they can't be fetched: the time after which to try again.
    pub(crate) async fn after_unknown_key(
        self: &Arc<Self>,
        generation: u64,
    ) -> Result<Fetched, Duration> {
        let flight = {
            let mut state = self.state();
            let is_newer = state.generation() != Some(generation);
            let flight = state.flight.clone().filter(Flight::is_under_way);
            if is_newer {
                None
            } else if flight.is_some() {
                flight
            } else if state.allow_for_unknown_key(Instant::now()) {
                Some(self.begin(&mut state))
            } else {
                None
            }
        };
        if let Some(flight) = flight {
            flight.result().await;
        }
        self.state().after_unknown_key(generation, Instant::now())
    }

    /// The time at which a token with an unknown key came first: now, unless it is remembered.
    fn first_seen(&self, hash: TokenHash) -> Instant {
        self.unknown.get(&hash).unwrap_or_else(|| {
            let now = Instant::now();
            self.unknown.insert(hash, now);
            now
        })
    }

    /// Checks that the keys were fetched after a token with an unknown key came first, at `seen`.
    ///
    /// # Errors
    ///
    /// If they were not, so that the key may be new: the time after which to try again.
    fn check_fetched_since(&self, seen: Instant) -> Result<(), Duration> {
        self.state().check_fetched_since(seen, Instant::now())
    }

    /// Begins to fetch, unless that is under way.
    fn begin(self: &Arc<Self>, state: &mut KeyState) -> Flight<()> {
        if let Some(flight) = state.flight.clone().filter(Flight::is_under_way) {
            return flight;
        }
        let keys = Arc::clone(self);
        let flight = Flight::begin(async move { keys.fetch().await });
        state.flight = Some(flight.clone());
        flight
    }

    async fn fetch(&self) {
        let asked_at = Instant::now();
        let fetched = timeout(ISSUER_TIMEOUT, self.fetched()).await;
        let fetched = fetched.unwrap_or_else(|_| {
            let cause = format!("its keys were not there within {ISSUER_TIMEOUT:?}");
            Err(FetchError::network(&self.discovery.issuer, cause))
        });
        let (set, is_same) = match fetched {
            Ok((document, set)) => {
                let mut last = lock(&self.document);
                let is_same = *last == document;
                *last = document;
                (Some(set), is_same)
            }
            Err(error) => {
                mcp_runtime::log::warn!(%error, "the keys of an issuer can't be had");
                self.discovery.expire().await;
                (None, false)
            }
        };
        self.state().fetched(set, is_same, asked_at, Instant::now());
    }

    async fn fetched(&self) -> Result<(Bytes, Arc<JwkSet>), FetchError> {
        let discovery = &self.discovery;
        let url = match &self.source {
            KeySource::Given(set) => return Ok((Bytes::from_static(b"given"), Arc::clone(set))),
            KeySource::Url(url) => url.clone(),
            KeySource::Discovery => {
                let metadata = discovery.metadata().await?;
                let url = metadata.jwks_uri.as_deref();
                discovery.endpoint("jwks_uri", url)?.to_owned()
            }
        };
        let document = discovery.fetch(&url).await?;
        let set = JwkSet::parse(&document).map_err(|error| FetchError::answer(&url, error))?;
        Ok((document, Arc::new(set)))
    }

    /// Verifies a JWT. `was_known` is true if it was verified by earlier keys.
    /// Returns the generation of the keys, too.
    ///
    /// # Errors
    ///
    /// The rule that it breaks, or that the keys can't be had: a new key may be among them.
    pub(super) async fn verify(
        self: &Arc<Self>,
        rules: &AccessTokenRules,
        token: SentToken<'_>,
        was_known: bool,
    ) -> Result<(Claims, u64), Refusal> {
        let unavailable = Refusal::Unavailable;
        let mut fetched = self.get().await.map_err(unavailable)?;
        let mut claims = rules.verify(token.text, &fetched.set, token.now);
        if may_have_a_new_key(token.text, &claims) {
            let seen = self.first_seen(token.hash);
            let newer = self.after_unknown_key(fetched.generation).await;
            fetched = newer.map_err(unavailable)?;
            claims = rules.verify(token.text, &fetched.set, token.now);
            // A key that was there before is no new one.
            if !was_known && may_have_a_new_key(token.text, &claims) {
                self.check_fetched_since(seen).map_err(unavailable)?;
            }
        }
        Ok((claims?, fetched.generation))
    }

    fn state(&self) -> MutexGuard<'_, KeyState> {
        lock(&self.state)
    }
}

/// True if the token may be signed by a key that was not there when the keys were fetched.
fn may_have_a_new_key(token: &str, verified: &Result<Claims, TokenError>) -> bool {
    match verified {
        Err(TokenError::UnknownKey) => true,
        Err(TokenError::Signature) => {
            Jws::parse(token).is_ok_and(|jws| jws.header().may_be_by_new_key())
        }
        _ => false,
    }
}

/// Keys as they were fetched.
#[derive(Clone)]
pub(crate) struct Fetched {
    pub(crate) set: Arc<JwkSet>,
    /// Another number for each document that differs from the one before.
    pub(crate) generation: u64,
}

#[derive(Default)]
struct KeyState {
    keys: Option<(Fetched, Instant)>,
    /// The beginning of the fetch that has brought the keys.
    asked_at: Option<Instant>,
    failed_at: Option<Instant>,
    unknown_key_at: Option<Instant>,
    flight: Option<Flight<()>>,
}

/// The step to take before a token is verified.
enum Plan {
    Use(Fetched),
    /// Use the keys, and fetch new ones beside.
    Refresh(Fetched),
    Fetch,
    /// Not available before this time is over.
    Wait(Duration),
}

impl KeyState {
    /// The plan at the time `now`.
    fn plan(&self, now: Instant) -> Plan {
        let since_failure = self.failed_at.map(|at| now.duration_since(at));
        let pause = |pause: Duration| since_failure.and_then(|since| pause.checked_sub(since));
        let usable = self
            .keys
            .as_ref()
            .map(|(keys, at)| (keys.clone(), now.duration_since(*at)));
        match usable.filter(|(_, age)| *age < KEYS_MAX_AGE) {
            None => match pause(ISSUER_PAUSE).filter(|rest| !rest.is_zero()) {
                Some(rest) => Plan::Wait(rest),
                None => Plan::Fetch,
            },
            Some((keys, age)) if age < KEYS_REFRESH => Plan::Use(keys),
            Some((_, age)) if age >= KEYS_IDLE && since_failure.is_none() => Plan::Fetch,
            Some((keys, _)) => match pause(KEYS_PAUSE).filter(|rest| !rest.is_zero()) {
                Some(_) => Plan::Use(keys),
                None => Plan::Refresh(keys),
            },
        }
    }

    /// The keys after a fetch that was waited for, or the time after which to try again.
    fn after_fetch(&self, now: Instant) -> Result<Fetched, Duration> {
        match &self.keys {
            Some((keys, at)) if now.duration_since(*at) < KEYS_MAX_AGE => Ok(keys.clone()),
            _ => Err(ISSUER_PAUSE),
        }
    }

    /// True if keys may be fetched because a token has been signed by an unknown one, which counts.
    fn allow_for_unknown_key(&mut self, now: Instant) -> bool {
        let is_allowed = self
            .unknown_key_at
            .is_none_or(|at| now.duration_since(at) >= KEYS_PAUSE);
        if is_allowed {
            self.unknown_key_at = Some(now);
        }
        is_allowed
    }

    /// The keys for a token whose key was not among those of `generation`. An error is the time after
    /// which to try again: the key may be new, and the issuer can't be asked.
    pub(super) fn after_unknown_key(
        &self,
        generation: u64,
        now: Instant,
    ) -> Result<Fetched, Duration> {
        let keys = self.after_fetch(now)?;
        match self.failed_at {
            Some(at) if keys.generation == generation => {
                let rest = KEYS_PAUSE.saturating_sub(now.duration_since(at));
                Err(rest.max(ISSUER_PAUSE))
            }
            _ => Ok(keys),
        }
    }

    /// Checks that the keys were fetched after a token with an unknown key came first, at `seen`.
    /// Otherwise its key may be new. An error is the time after which they may be fetched again.
    fn check_fetched_since(&self, seen: Instant, now: Instant) -> Result<(), Duration> {
        if self.asked_at.is_some_and(|at| at >= seen) {
            return Ok(());
        }
        let since = self.unknown_key_at.map(|at| now.duration_since(at));
        let rest = since.map_or(Duration::ZERO, |since| KEYS_PAUSE.saturating_sub(since));
        Err(rest.max(ISSUER_PAUSE))
    }

    /// The generation of the keys, if they can be used at once.
    pub(super) fn generation(&self) -> Option<u64> {
        self.keys.as_ref().map(|(keys, _)| keys.generation)
    }

    /// Keeps what a fetch that began at `asked_at` has brought; none if it failed.
    fn fetched(
        &mut self,
        set: Option<Arc<JwkSet>>,
        is_same: bool,
        asked_at: Instant,
        now: Instant,
    ) {
        let Some(set) = set else {
            self.failed_at = Some(now);
            return;
        };
        let last = self.generation().unwrap_or_default();
        let generation = if is_same { last } else { last + 1 };
        self.failed_at = None;
        self.asked_at = Some(asked_at);
        self.keys = Some((Fetched { set, generation }, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    /// The plan in one word.
    fn plan(state: &KeyState, now: Instant) -> &'static str {
        match state.plan(now) {
            Plan::Use(_) => "use",
            Plan::Refresh(_) => "refresh",
            Plan::Fetch => "fetch",
            Plan::Wait(_) => "wait",
        }
    }

    #[test]
    fn keys_are_fetched_when_there_are_none_with_pauses() {
        let mut state = KeyState::default();
        let start = Instant::now();
        assert_eq!(plan(&state, start), "fetch");
        state.fetched(None, false, start, start);
        assert_eq!(plan(&state, start), "wait");
        assert_eq!(state.after_fetch(start).err(), Some(ISSUER_PAUSE));
        assert_eq!(plan(&state, at(start, 1)), "fetch");
        state.fetched(Some(Arc::default()), false, at(start, 1), at(start, 1));
        assert_eq!(plan(&state, at(start, 2)), "use");
    }

    #[test]
    fn keys_are_refreshed_by_their_age() {
        let mut state = KeyState::default();
        let start = Instant::now();
        state.fetched(Some(Arc::default()), false, start, start);
        for (seconds, expected) in [
            (299, "use"),
            (300, "refresh"),
            (599, "refresh"),
            (600, "fetch"),
            (86_400, "fetch"),
        ] {
            assert_eq!(plan(&state, at(start, seconds)), expected, "{seconds}");
        }
        // The issuer is down: a try every 30 seconds, and the keys are used meanwhile.
        state.fetched(None, false, at(start, 600), at(start, 600));
        for (seconds, expected) in [
            (600, "use"),
            (629, "use"),
            (630, "refresh"),
            (86_399, "refresh"),
            (86_400, "fetch"),
        ] {
            assert_eq!(plan(&state, at(start, seconds)), expected, "{seconds}");
        }
        state.fetched(None, false, at(start, 86_400), at(start, 86_400));
        assert_eq!(plan(&state, at(start, 86_400)), "wait");
    }

    #[test]
    fn a_generation_lasts_as_long_as_the_document_does() {
        let mut state = KeyState::default();
        let start = Instant::now();
        assert_eq!(state.generation(), None);
        for (is_same, generation) in [(false, 1), (true, 1), (false, 2), (true, 2)] {
            state.fetched(Some(Arc::default()), is_same, start, start);
            assert_eq!(state.generation(), Some(generation));
        }
    }

    #[test]
    fn an_unknown_key_counts_once_in_a_while() {
        let mut state = KeyState::default();
        let start = Instant::now();
        state.fetched(Some(Arc::default()), false, start, start);
        assert!(state.allow_for_unknown_key(start));
        assert!(!state.allow_for_unknown_key(at(start, 29)));
        assert!(state.after_unknown_key(1, at(start, 29)).is_ok());
        state.fetched(None, false, at(start, 29), at(start, 29));
        let rest = state.after_unknown_key(1, at(start, 39)).err();
        assert_eq!(rest, Some(Duration::from_secs(20)));
        assert!(state.after_unknown_key(0, at(start, 39)).is_ok());
        assert!(state.allow_for_unknown_key(at(start, 30)));
    }

    #[test]
    fn a_key_may_be_new_until_the_keys_are_fetched_once_more() {
        let mut state = KeyState::default();
        let start = Instant::now();
        assert!(state.allow_for_unknown_key(at(start, 10)));
        let set = Some(Arc::default());
        state.fetched(set, false, at(start, 10), at(start, 12));
        let check = |seen, now| {
            state
                .check_fetched_since(at(start, seen), at(start, now))
                .err()
        };
        assert_eq!(check(10, 12), None);
        // It came while the keys were on the way.
        assert_eq!(check(11, 12), Some(Duration::from_secs(28)));
        assert_eq!(check(20, 35), Some(Duration::from_secs(5)));
        assert_eq!(check(20, 40), Some(ISSUER_PAUSE));
    }
}
