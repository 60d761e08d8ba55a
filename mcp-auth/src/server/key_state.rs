//! Decisions about the keys of one issuer: whether they can be used, and when they are fetched.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::single_flight::Flight;
use crate::jwt::JwkSet;
use crate::limits::server::{ISSUER_PAUSE, KEYS_IDLE, KEYS_MAX_AGE, KEYS_PAUSE, KEYS_REFRESH};

/// Keys as they were fetched.
#[derive(Clone)]
pub(crate) struct Fetched {
    pub(crate) set: Arc<JwkSet>,
    /// Another number for each document that differs from the one before.
    pub(crate) generation: u64,
}

#[derive(Default)]
pub(super) struct KeyState {
    keys: Option<(Fetched, Instant)>,
    /// The beginning of the fetch that has brought the keys.
    asked_at: Option<Instant>,
    failed_at: Option<Instant>,
    unknown_key_at: Option<Instant>,
    pub(super) flight: Option<Flight<()>>,
}

/// The step to take before a token is verified.
pub(super) enum Plan {
    Use(Fetched),
    /// Use the keys, and fetch new ones beside.
    Refresh(Fetched),
    Fetch,
    /// Not available before this time is over.
    Wait(Duration),
}

impl KeyState {
    /// The plan at the time `now`.
    pub(super) fn plan(&self, now: Instant) -> Plan {
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
    pub(super) fn after_fetch(&self, now: Instant) -> Result<Fetched, Duration> {
        match &self.keys {
            Some((keys, at)) if now.duration_since(*at) < KEYS_MAX_AGE => Ok(keys.clone()),
            _ => Err(ISSUER_PAUSE),
        }
    }

    /// True if keys may be fetched because a token has been signed by an unknown one, which counts.
    pub(super) fn allow_for_unknown_key(&mut self, now: Instant) -> bool {
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
    pub(super) fn check_fetched_since(&self, seen: Instant, now: Instant) -> Result<(), Duration> {
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
    pub(super) fn fetched(
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
