//! The keys of an issuer, which are cached and fetched by one request at a time.

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

#[derive(Clone)]
pub(crate) enum KeySource {
    /// The keys are at the `jwks_uri` of the issuer's metadata.
    Discovery,
    Url(String),
    /// The keys are configured and never fetched.
    Given(Arc<JwkSet>),
}

pub(crate) struct Keys {
    discovery: Arc<Discovery>,
    source: KeySource,
    state: Mutex<KeyState>,
    document: Mutex<Bytes>,
    /// When each token with an unknown key was first seen.
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

    /// Returns the keys, and fetches them if needed.
    ///
    /// # Errors
    ///
    /// If the keys can't be fetched: how long to wait before trying again.
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

    /// The generation of the keys, if [`get`](Self::get) would return them without waiting. Starts
    /// a refresh if one is due.
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

    /// Returns the keys for a token whose key is not in `generation`. Fetches new keys, unless they
    /// were fetched within the last 30 seconds.
    ///
    /// # Errors
    ///
    /// If the keys can't be fetched: how long to wait before trying again.
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

    /// The time when a token with an unknown key was first seen. Records the current time for a new
    /// token.
    fn first_seen(&self, hash: TokenHash) -> Instant {
        self.unknown.get(&hash).unwrap_or_else(|| {
            let now = Instant::now();
            self.unknown.insert(hash, now);
            now
        })
    }

    /// Checks that the keys were fetched after `seen`, the time when a token with an unknown key
    /// was first seen.
    ///
    /// # Errors
    ///
    /// If they were not, the key may be new. The error is how long to wait before trying again.
    fn check_fetched_since(&self, seen: Instant) -> Result<(), Duration> {
        self.state().check_fetched_since(seen, Instant::now())
    }

    /// Starts a fetch, unless one is running.
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
            let cause = format!("its keys did not arrive within {ISSUER_TIMEOUT:?}");
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
                mcp_runtime::log::warn!(%error, "the keys of an issuer can't be fetched");
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

    /// Verifies a JWT. Returns its claims and the generation of the keys. `was_known` is true if
    /// earlier keys verified the token.
    ///
    /// # Errors
    ///
    /// The rule that the token violates, or [`Refusal::Unavailable`] if the token's key may be
    /// among keys that can't be fetched now.
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
            // If the token was known, its key was in use before and can't be new.
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

/// Returns true if the token may be signed with a key that was published after the keys were
/// fetched.
fn may_have_a_new_key(token: &str, verified: &Result<Claims, TokenError>) -> bool {
    match verified {
        Err(TokenError::UnknownKey) => true,
        Err(TokenError::Signature) => {
            Jws::parse(token).is_ok_and(|jws| jws.header().may_be_by_new_key())
        }
        _ => false,
    }
}

#[derive(Clone)]
pub(crate) struct Fetched {
    pub(crate) set: Arc<JwkSet>,
    /// Changes whenever the fetched document differs from the previous one.
    pub(crate) generation: u64,
}

#[derive(Default)]
struct KeyState {
    keys: Option<(Fetched, Instant)>,
    /// When the fetch that returned the keys started.
    asked_at: Option<Instant>,
    failed_at: Option<Instant>,
    unknown_key_at: Option<Instant>,
    flight: Option<Flight<()>>,
}

/// How to get the keys for verifying a token.
enum Plan {
    Use(Fetched),
    /// Use the current keys, and fetch new ones in the background.
    Refresh(Fetched),
    Fetch,
    /// Keys are not available for this time.
    Wait(Duration),
}

impl KeyState {
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

    /// The keys after a fetch has ended, or how long to wait before trying again.
    fn after_fetch(&self, now: Instant) -> Result<Fetched, Duration> {
        match &self.keys {
            Some((keys, at)) if now.duration_since(*at) < KEYS_MAX_AGE => Ok(keys.clone()),
            _ => Err(ISSUER_PAUSE),
        }
    }

    /// Returns true if an unknown key may trigger a fetch now, and records that it does.
    fn allow_for_unknown_key(&mut self, now: Instant) -> bool {
        let is_allowed = self
            .unknown_key_at
            .is_none_or(|at| now.duration_since(at) >= KEYS_PAUSE);
        if is_allowed {
            self.unknown_key_at = Some(now);
        }
        is_allowed
    }

    /// The keys for a token whose key was not in `generation`. If the last fetch failed, the key
    /// may be new: the error is how long to wait before trying again.
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

    /// Checks that the keys were fetched after `seen`. Otherwise the token's key may be new, and
    /// the error is how long to wait before the next fetch.
    fn check_fetched_since(&self, seen: Instant, now: Instant) -> Result<(), Duration> {
        if self.asked_at.is_some_and(|at| at >= seen) {
            return Ok(());
        }
        let since = self.unknown_key_at.map(|at| now.duration_since(at));
        let rest = since.map_or(Duration::ZERO, |since| KEYS_PAUSE.saturating_sub(since));
        Err(rest.max(ISSUER_PAUSE))
    }

    pub(super) fn generation(&self) -> Option<u64> {
        self.keys.as_ref().map(|(keys, _)| keys.generation)
    }

    /// Records the result of a fetch that started at `asked_at`. `set` is `None` if the fetch
    /// failed.
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
        // The issuer is down: a fetch is tried every 30 seconds, and the old keys are used
        // meanwhile.
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
        // The token arrived while the keys were being fetched.
        assert_eq!(check(11, 12), Some(Duration::from_secs(28)));
        assert_eq!(check(20, 35), Some(Duration::from_secs(5)));
        assert_eq!(check(20, 40), Some(ISSUER_PAUSE));
    }
}
