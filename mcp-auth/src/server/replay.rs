//! Proofs that were used, each of which serves once (RFC 9449 §11.1).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Most proofs of one key that are remembered: 136 a second.
const MAX_OF_KEY: usize = 16 * 1024;
/// Number of remembered proofs beyond which keys have their share only.
const MAX_SHARED: usize = 256 * 1024;
/// The share of each key, one proof in two seconds: nobody else's proofs take its room, unless more
/// than 4096 keys use theirs.
const SHARE: usize = 64;
/// Most proofs of all keys that are remembered.
const MAX: usize = 512 * 1024;

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
        let before = state.keys.get(thumbprint).and_then(|it| it.get(&proof));
        if before.is_some_and(|end| *end > now) {
            return Err(ReplayError::Used);
        }
        let pause = match state.has_room(thumbprint) {
            true => lifetime,
            false => FULL_PAUSE,
        };
        let since = state.swept_at.map(|at| now.duration_since(at));
        if since.is_none_or(|since| since >= pause) {
            state.sweep(now);
        }
        if !state.has_room(thumbprint) {
            return Err(ReplayError::Full);
        }
        // Most requests are of keys that are known.
        if !state.keys.contains_key(thumbprint) {
            state.keys.insert(thumbprint.to_owned(), HashMap::new());
        }
        let proofs = state.keys.get_mut(thumbprint);
        let replaced = proofs.and_then(|proofs| proofs.insert(proof, now + lifetime));
        state.count += usize::from(replaced.is_none());
        Ok(())
    }
}

impl State {
    /// True if one more proof of a key can be remembered.
    fn has_room(&self, thumbprint: &str) -> bool {
        let proofs = self.keys.get(thumbprint).map_or(0, HashMap::len);
        match self.count {
            0..MAX_SHARED => proofs < MAX_OF_KEY,
            MAX_SHARED..MAX => proofs < SHARE,
            _ => false,
        }
    }

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

    /// Uses as many proofs of a key as are accepted.
    fn fill(replay: &Replay, key: &str, now: Instant) -> usize {
        let used = |number| replay.remember(key, proof(number), LIFETIME, now);
        let is_full = |number: &usize| used(*number) == Err(ReplayError::Full);
        (0..).find(is_full).unwrap()
    }

    #[test]
    fn one_key_can_not_use_up_the_room_and_room_comes_back() {
        let (replay, now) = (Replay::default(), Instant::now());
        assert_eq!(fill(&replay, "a", now), MAX_OF_KEY);
        assert_eq!(replay.remember("b", proof(0), LIFETIME, now), Ok(()));
        assert_eq!(fill(&replay, "a", now + LIFETIME), MAX_OF_KEY);
    }

    #[test]
    fn a_share_is_left_for_each_key_and_the_room_is_bounded() {
        let (replay, now) = (Replay::default(), Instant::now());
        assert_eq!(replay.remember("early", proof(0), LIFETIME, now), Ok(()));
        for number in 0..MAX_SHARED / MAX_OF_KEY {
            fill(&replay, &format!("greedy {number}"), now);
        }
        assert_eq!(fill(&replay, "late", now), SHARE);
        for number in 1..SHARE {
            assert_eq!(
                replay.remember("early", proof(number), LIFETIME, now),
                Ok(())
            );
        }
        for number in 0..(MAX - MAX_SHARED) / SHARE {
            fill(&replay, &number.to_string(), now);
        }
        assert_eq!(replay.0.lock().unwrap().count, MAX);
        let full = replay.remember("other", proof(0), LIFETIME, now);
        assert_eq!(full, Err(ReplayError::Full));
    }
}
