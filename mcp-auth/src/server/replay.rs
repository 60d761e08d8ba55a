//! Protection against replayed proofs, each of which may be used once (RFC 9449 §11.1).

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use crate::limits::server::{
    MAX_PROOFS, MAX_PROOFS_OF_KEY, MAX_SHARED_PROOFS, PROOFS_SHARE, SWEEP_PAUSE,
};
use crate::util::lock;

/// The current time by the monotonic clock and by the system clock, which determines the age of
/// proofs. A proof is remembered until its end by both clocks, so a replay is detected even if the
/// system clock was set back.
type Now = (Instant, SystemTime);

/// The hash of a proof's `jti`.
type ProofId = [u8; 32];

/// Remembers used proofs by the thumbprint of their key. It receives only proofs made with keys
/// that valid tokens are bound to.
#[derive(Default)]
pub(super) struct Replay(Mutex<State>);

#[derive(Default)]
struct State {
    keys: HashMap<String, HashMap<ProofId, Now>>,
    count: usize,
    swept_at: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplayError {
    Used,
    /// There is no room to remember the proof.
    Full,
}

impl Replay {
    pub(super) fn remember(
        &self,
        thumbprint: &str,
        proof: ProofId,
        lifetime: Duration,
        now: Now,
    ) -> Result<(), ReplayError> {
        let mut state = lock(&self.0);
        let before = state.keys.get(thumbprint).and_then(|it| it.get(&proof));
        if before.is_some_and(|end| !is_over(*end, now)) {
            return Err(ReplayError::Used);
        }
        let pause = if state.has_room(thumbprint) {
            lifetime
        } else {
            SWEEP_PAUSE
        };
        let since = state.swept_at.map(|at| now.0.duration_since(at));
        if since.is_none_or(|since| since >= pause) {
            state.sweep(now);
        }
        if !state.has_room(thumbprint) {
            return Err(ReplayError::Full);
        }
        // Avoids an allocation for known keys, which most requests use.
        if !state.keys.contains_key(thumbprint) {
            state.keys.insert(thumbprint.to_owned(), HashMap::new());
        }
        let proofs = state.keys.get_mut(thumbprint);
        let end = (now.0 + lifetime, now.1 + lifetime);
        let replaced = proofs.and_then(|proofs| proofs.insert(proof, end));
        state.count += usize::from(replaced.is_none());
        Ok(())
    }
}

impl State {
    fn has_room(&self, thumbprint: &str) -> bool {
        let proofs = self.keys.get(thumbprint).map_or(0, HashMap::len);
        match self.count {
            0..MAX_SHARED_PROOFS => proofs < MAX_PROOFS_OF_KEY,
            MAX_SHARED_PROOFS..MAX_PROOFS => proofs < PROOFS_SHARE,
            _ => false,
        }
    }

    /// Removes proofs that are too old to be accepted again.
    fn sweep(&mut self, now: Now) {
        self.keys.retain(|_, proofs| {
            proofs.retain(|_, end| !is_over(*end, now));
            !proofs.is_empty()
        });
        self.count = self.keys.values().map(HashMap::len).sum();
        self.swept_at = Some(now.0);
    }
}

fn is_over(end: Now, now: Now) -> bool {
    end.0 <= now.0 && end.1 <= now.1
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_secs(120);

    /// The time `time` after `start` by both clocks.
    fn after(start: Now, time: Duration) -> Now {
        (start.0 + time, start.1 + time)
    }

    fn start() -> Now {
        (Instant::now(), SystemTime::now())
    }

    fn proof(number: usize) -> ProofId {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&number.to_le_bytes());
        id
    }

    #[test]
    fn a_proof_serves_once_for_each_key() {
        let replay = Replay::default();
        let now = start();
        assert_eq!(replay.remember("a", proof(1), LIFETIME, now), Ok(()));
        let again = replay.remember("a", proof(1), LIFETIME, after(now, LIFETIME / 2));
        assert_eq!(again, Err(ReplayError::Used));
        assert_eq!(replay.remember("b", proof(1), LIFETIME, now), Ok(()));
        let later = after(now, LIFETIME);
        assert_eq!(replay.remember("a", proof(1), LIFETIME, later), Ok(()));
    }

    /// Uses as many proofs of a key as are accepted, and returns their number.
    fn fill(replay: &Replay, key: &str, now: Now) -> usize {
        let used = |number| replay.remember(key, proof(number), LIFETIME, now);
        let is_full = |number: &usize| used(*number) == Err(ReplayError::Full);
        (0..).find(is_full).unwrap()
    }

    #[test]
    fn one_key_can_not_use_up_the_room_and_room_comes_back() {
        let replay = Replay::default();
        let now = start();
        assert_eq!(fill(&replay, "a", now), MAX_PROOFS_OF_KEY);
        assert_eq!(replay.remember("b", proof(0), LIFETIME, now), Ok(()));
        assert_eq!(fill(&replay, "a", after(now, LIFETIME)), MAX_PROOFS_OF_KEY);
    }

    #[test]
    fn a_share_is_left_for_each_key_and_the_room_is_bounded() {
        let replay = Replay::default();
        let now = start();
        assert_eq!(replay.remember("early", proof(0), LIFETIME, now), Ok(()));
        for number in 0..MAX_SHARED_PROOFS / MAX_PROOFS_OF_KEY {
            fill(&replay, &format!("greedy {number}"), now);
        }
        assert_eq!(fill(&replay, "late", now), PROOFS_SHARE);
        for number in 1..PROOFS_SHARE {
            assert_eq!(
                replay.remember("early", proof(number), LIFETIME, now),
                Ok(())
            );
        }
        for number in 0..(MAX_PROOFS - MAX_SHARED_PROOFS) / PROOFS_SHARE {
            fill(&replay, &number.to_string(), now);
        }
        assert_eq!(replay.0.lock().unwrap().count, MAX_PROOFS);
        let full = replay.remember("other", proof(0), LIFETIME, now);
        assert_eq!(full, Err(ReplayError::Full));
    }

    #[test]
    fn a_proof_serves_once_whatever_the_clock_of_the_system_does() {
        let hour = Duration::from_secs(3600);
        let replay = Replay::default();
        let now = start();
        let use_at = |real: Duration, time: SystemTime| {
            replay.remember("a", proof(1), LIFETIME, (now.0 + real, time))
        };
        assert_eq!(use_at(Duration::ZERO, now.1), Ok(()));
        // The system clock steps forward, stands still and steps backward, where the proof is young
        // again.
        let second = Duration::from_secs(1);
        for (real, time) in [
            (second, now.1 + hour),
            (2 * second, now.1 + hour),
            (2 * LIFETIME, now.1),
            (2 * LIFETIME, now.1 - hour),
            (hour, now.1 + LIFETIME - second),
        ] {
            assert_eq!(use_at(real, time), Err(ReplayError::Used), "{real:?}");
        }
        assert_eq!(use_at(hour, now.1 + LIFETIME), Ok(()));
    }
}
