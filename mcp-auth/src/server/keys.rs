//! Keys of one issuer, which are fetched by one request at a time.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::time::{Instant, timeout};

use super::discovery::{Discovery, FetchError};
use super::key_state::{Fetched, KeyState, Plan};
use super::refusal::Refusal;
use super::single_flight::Flight;
use super::token_cache::{TokenCache, TokenHash};
use crate::jwt::{AccessTokenRules, Claims, JwkSet, Jws, TokenError};
use crate::limits::server::ISSUER_TIMEOUT;
use crate::sync::lock;

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
    fn first_seen(&self, hash: &TokenHash) -> Instant {
        self.unknown.get(hash).unwrap_or_else(|| {
            let now = Instant::now();
            self.unknown.insert(*hash, now);
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

    /// Verifies a JWT, whose hash is `hash`. `was_known` is true if it was verified by earlier keys.
    /// Returns the generation of the keys, too.
    ///
    /// # Errors
    ///
    /// The rule that it breaks, or that the keys can't be had: a new key may be among them.
    pub(super) async fn verify(
        self: &Arc<Self>,
        rules: &AccessTokenRules,
        token: &str,
        hash: &TokenHash,
        was_known: bool,
        now: SystemTime,
    ) -> Result<(Claims, u64), Refusal> {
        let unavailable = Refusal::Unavailable;
        let mut fetched = self.get().await.map_err(unavailable)?;
        let mut claims = rules.verify(token, &fetched.set, now);
        if may_have_a_new_key(token, &claims) {
            let seen = self.first_seen(hash);
            let newer = self.after_unknown_key(fetched.generation).await;
            fetched = newer.map_err(unavailable)?;
            claims = rules.verify(token, &fetched.set, now);
            // A key that was there before is no new one.
            if !was_known && may_have_a_new_key(token, &claims) {
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
