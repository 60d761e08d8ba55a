//! Proofs that were used, each of which serves once (RFC 9449 §11.1).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Most proofs of one key that are remembered: 136 a second.
const MAX_OF_KEY: usize = 16 * 1024;
/// Most proofs of all keys that are remembered.
const MAX: usize = 256 * 1024;

/// Least time between two sweeps when there is no room.
const FULL_PAUSE: Duration = Duration::from_secs(1);

/// A hash of a proof's `jti`.
pub(super) type ProofId = [u8; 32];

/// Remembers proofs by the thumbprint of their key. Only proofs of keys that valid tokens are bound to
/// come here.
#[derive(Default)]
pub(super) struct Replay(Mutex<State>);

#[derive(Default)]
struct State {
    keys: HashMap<String, HashMap<ProofId, Instant>>,
    count: usize,
    swept_at: Option<Instant>,
}

/// The cause for which a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplayError {
    /// It was used before.
    Used,
    /// There is no room to remember it.
    Full,
}

impl Replay {
    /// Remembers a proof for `lifetime`.
    pub(super) fn remember(
        &self,
        thumbprint: &str,
        proof: ProofId,
        lifetime: Duration,
        now: Instant,
    ) -> Result<(), ReplayError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let since = state.swept_at.map(|at| now.duration_since(at));
        let pause = if state.count >= MAX {
            FULL_PAUSE
        } else {
            lifetime
        };
        if since.is_none_or(|since| since >= pause) {
            state.sweep(now);
        }
        if state.count >= MAX {
            return Err(ReplayError::Full);
        }
        // Most requests are of keys that are known.
        if !state.keys.contains_key(thumbprint) {
            state.keys.insert(thumbprint.to_owned(), HashMap::new());
        }
        let Some(proofs) = state.keys.get_mut(thumbprint) else {
            return Err(ReplayError::Full);
        };
        if proofs.get(&proof).is_some_and(|end| *end > now) {
            return Err(ReplayError::Used);
        }
        let before = proofs.len();
        if before >= MAX_OF_KEY {
            proofs.retain(|_, end| *end > now);
        }
        let is_full = proofs.len() >= MAX_OF_KEY;
        if !is_full {
            proofs.insert(proof, now + lifetime);
        }
        let after = proofs.len();
        state.count = state.count + after - before;
        if is_full {
            Err(ReplayError::Full)
        } else {
            Ok(())
        }
    }
}

impl State {
    /// Forgets proofs that are too old to be used again.
    fn sweep(&mut self, now: Instant) {
        self.keys.retain(|_, proofs| {
            proofs.retain(|_, end| *end > now);
            !proofs.is_empty()
        });
        self.count = self.keys.values().map(HashMap::len).sum();
        self.swept_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_secs(120);

    fn proof(number: usize) -> ProofId {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&number.to_le_bytes());
        id
    }

    #[test]
    fn a_proof_serves_once_for_each_key() {
        let (replay, now) = (Replay::default(), Instant::now());
        assert_eq!(replay.remember("a", proof(1), LIFETIME, now), Ok(()));
        let again = replay.remember("a", proof(1), LIFETIME, now + LIFETIME / 2);
        assert_eq!(again, Err(ReplayError::Used));
        assert_eq!(replay.remember("b", proof(1), LIFETIME, now), Ok(()));
        let later = now + LIFETIME;
        assert_eq!(replay.remember("a", proof(1), LIFETIME, later), Ok(()));
    }

    #[test]
    fn one_key_can_not_use_up_the_room_and_room_comes_back() {
        let (replay, now) = (Replay::default(), Instant::now());
        for number in 0..MAX_OF_KEY {
            assert_eq!(replay.remember("a", proof(number), LIFETIME, now), Ok(()));
        }
        let next = proof(MAX_OF_KEY);
        let full = replay.remember("a", next, LIFETIME, now);
        assert_eq!(full, Err(ReplayError::Full));
        assert_eq!(replay.remember("b", next, LIFETIME, now), Ok(()));
        assert_eq!(replay.remember("a", next, LIFETIME, now + LIFETIME), Ok(()));
    }

    #[test]
    fn the_room_is_bounded() {
        let (replay, now) = (Replay::default(), Instant::now());
        for number in 0..MAX {
            let key = (number / MAX_OF_KEY).to_string();
            assert_eq!(replay.remember(&key, proof(number), LIFETIME, now), Ok(()));
        }
        let full = replay.remember("other", proof(0), LIFETIME, now);
        assert_eq!(full, Err(ReplayError::Full));
    }
}
