//! Keeps the states of calls in this process, for builds without the feature `seal`. The client
//! gets only the name of a state.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

use super::state::{Binding, RetryState, StateError};
use crate::limits::{ANSWER_TIMEOUT, MAX_KEPT_STATES};
use crate::sync::lock;

/// The states of calls that wait for answers of the client.
#[derive(Debug, Default)]
pub(in crate::server) struct RetryStates {
    secret: RandomState,
    stored: Mutex<Stored>,
}

#[derive(Debug, Default)]
struct Stored {
    last: u64,
    /// Oldest first.
    calls: VecDeque<StoredCall>,
}

#[derive(Debug)]
struct StoredCall {
    name: String,
    binding: Vec<u8>,
    expiry: u64,
    retry: RetryState,
}

impl RetryStates {
    /// Always returns false, because the states are in this process.
    pub(in crate::server) fn are_shared(&self) -> bool {
        false
    }

    /// Stores a state until it expires, or [`MAX_KEPT_STATES`] newer ones are stored.
    pub(super) fn issue(&self, retry: &RetryState, binding: &Binding, now: u64) -> Option<String> {
        let mut stored = lock(&self.stored);
        stored.last += 1;
        let name = format!("{}-{:016x}", stored.last, self.secret.hash_one(stored.last));
        while stored.calls.len() >= MAX_KEPT_STATES
            || stored.calls.front().is_some_and(|call| now >= call.expiry)
        {
            stored.calls.pop_front();
        }
        stored.calls.push_back(StoredCall {
            name: name.clone(),
            binding: binding.as_bytes().to_vec(),
            expiry: now + ANSWER_TIMEOUT.as_secs(),
            retry: retry.clone(),
        });
        Some(name)
    }

    /// Returns the state that was stored under the name `state` for `binding`.
    pub(super) fn redeem(
        &self,
        state: &str,
        binding: &Binding,
        now: u64,
    ) -> Result<RetryState, StateError> {
        let stored = lock(&self.stored);
        let mut calls = stored.calls.iter();
        let call = calls.find(|call| call.name == state && call.binding == binding.as_bytes());
        let call = call.ok_or(StateError::Foreign)?;
        if now >= call.expiry {
            return Err(StateError::Expired);
        }
        Ok(call.retry.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_790_000_000;

    fn binding(target: &str) -> Binding {
        Binding::new("tools/call", target, None, None).unwrap()
    }

    fn retry(rounds: u32) -> RetryState {
        RetryState {
            rounds,
            ..RetryState::default()
        }
    }

    #[test]
    fn states_are_not_shared() {
        assert!(!RetryStates::default().are_shared());
    }

    #[test]
    fn what_was_kept_is_found_in_time_by_its_own_call() {
        let store = RetryStates::default();
        let state = store.issue(&retry(2), &binding("t"), NOW).unwrap();
        assert_eq!(store.redeem(&state, &binding("t"), NOW + 599), Ok(retry(2)));
        let foreign = store.redeem(&state, &binding("u"), NOW);
        assert_eq!(foreign, Err(StateError::Foreign));
        let late = store.redeem(&state, &binding("t"), NOW + 600);
        assert_eq!(late, Err(StateError::Expired));
        let guessed = store.redeem("1", &binding("t"), NOW);
        assert_eq!(guessed, Err(StateError::Foreign));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let store = RetryStates::default();
        let first = store.issue(&retry(1), &binding("t"), NOW).unwrap();
        for _ in 0..MAX_KEPT_STATES - 1 {
            store.issue(&retry(2), &binding("t"), NOW).unwrap();
        }
        assert_eq!(store.redeem(&first, &binding("t"), NOW), Ok(retry(1)));
        store.issue(&retry(2), &binding("t"), NOW).unwrap();
        let forgotten = store.redeem(&first, &binding("t"), NOW);
        assert_eq!(forgotten, Err(StateError::Foreign));
    }
}
