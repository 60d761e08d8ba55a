//! States that stay with the server, for builds without the feature `seal`: the client gets a
//! number to come back with. Only this process can go on with the call, which is all that a server
//! on a pipe needs.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

use super::asking::Memory;
use super::state::{Binding, StateError};
use crate::limits::{ANSWER_TIMEOUT, MAX_KEPT_STATES};

/// The calls that wait for answers.
#[derive(Debug, Default)]
pub(in crate::server) struct Store {
    secret: RandomState,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    /// Oldest first.
    calls: VecDeque<Call>,
}

#[derive(Debug)]
struct Call {
    name: String,
    binding: Vec<u8>,
    expiry: u64,
    memory: Memory,
}

impl Store {
    /// Keeps `memory` until it expires.
    pub(super) fn issue(&self, memory: &Memory, binding: &Binding, now: u64) -> Option<String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.last += 1;
        let name = format!("{}-{:016x}", kept.last, self.secret.hash_one(kept.last));
        while kept.calls.len() >= MAX_KEPT_STATES
            || kept.calls.front().is_some_and(|call| now >= call.expiry)
        {
            kept.calls.pop_front();
        }
        kept.calls.push_back(Call {
            name: name.clone(),
            binding: binding.as_bytes().to_vec(),
            expiry: now + ANSWER_TIMEOUT.as_secs(),
            memory: memory.clone(),
        });
        Some(name)
    }

    /// What is kept under `state` for `binding`.
    pub(super) fn redeem(
        &self,
        state: &str,
        binding: &Binding,
        now: u64,
    ) -> Result<Memory, StateError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut calls = kept.calls.iter();
        let call = calls.find(|call| call.name == state && call.binding == binding.as_bytes());
        let call = call.ok_or(StateError::Foreign)?;
        if now >= call.expiry {
            return Err(StateError::Expired);
        }
        Ok(call.memory.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_790_000_000;

    fn binding(target: &str) -> Binding {
        Binding::new("tools/call", target, None, None).unwrap()
    }

    fn memory(rounds: u32) -> Memory {
        Memory {
            rounds,
            ..Memory::default()
        }
    }

    #[test]
    fn what_was_kept_is_found_in_time_by_its_own_call() {
        let store = Store::default();
        let state = store.issue(&memory(2), &binding("t"), NOW).unwrap();
        assert_eq!(
            store.redeem(&state, &binding("t"), NOW + 599),
            Ok(memory(2))
        );
        let foreign = store.redeem(&state, &binding("u"), NOW);
        assert_eq!(foreign, Err(StateError::Foreign));
        let late = store.redeem(&state, &binding("t"), NOW + 600);
        assert_eq!(late, Err(StateError::Expired));
        let guessed = store.redeem("1", &binding("t"), NOW);
        assert_eq!(guessed, Err(StateError::Foreign));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let store = Store::default();
        let first = store.issue(&memory(1), &binding("t"), NOW).unwrap();
        for _ in 0..MAX_KEPT_STATES - 1 {
            store.issue(&memory(2), &binding("t"), NOW).unwrap();
        }
        assert_eq!(store.redeem(&first, &binding("t"), NOW), Ok(memory(1)));
        store.issue(&memory(2), &binding("t"), NOW).unwrap();
        let forgotten = store.redeem(&first, &binding("t"), NOW);
        assert_eq!(forgotten, Err(StateError::Foreign));
    }
}
