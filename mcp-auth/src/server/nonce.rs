//! Nonces for proofs of possession (RFC 9449 §8, §9).

use std::sync::Mutex;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::HeaderValue;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::time::Instant;

use crate::limits::server::NONCE_PERIOD;
use crate::sync::lock;

/// The nonce of this process, and the one before.
#[derive(Default)]
pub(super) struct Nonces(Mutex<Option<Period>>);

struct Period {
    began: Instant,
    current: String,
    last: Option<String>,
}

impl Nonces {
    /// The nonce to hand out; none if the operating system gives no random bytes.
    pub(super) fn current(&self, now: Instant) -> Option<HeaderValue> {
        let current = self.with(now, |period| period.current.clone())?;
        HeaderValue::try_from(current).ok()
    }

    /// True if the nonce was handed out within the last two minutes.
    pub(super) fn accepts(&self, nonce: &str, now: Instant) -> bool {
        let is_known = self.with(now, |period| {
            period.current == nonce || period.last.as_deref() == Some(nonce)
        });
        is_known.unwrap_or_default()
    }

    fn with<T>(&self, now: Instant, read: impl FnOnce(&Period) -> T) -> Option<T> {
        let mut state = lock(&self.0);
        let age = state
            .as_ref()
            .map(|period| now.duration_since(period.began));
        if age.is_none_or(|age| age >= NONCE_PERIOD) {
            let current = random()?;
            let old = state
                .take()
                .filter(|_| age.is_some_and(|age| age < 2 * NONCE_PERIOD));
            let last = old.map(|old| old.current);
            *state = Some(Period {
                began: now,
                current,
                last,
            });
        }
        state.as_ref().map(read)
    }
}

fn random() -> Option<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_accepted_for_two_periods() {
        let nonces = Nonces::default();
        let start = Instant::now();
        let first = nonces.current(start).unwrap();
        let first = first.to_str().unwrap();
        let at = |periods: f64| start + NONCE_PERIOD.mul_f64(periods);
        assert!(nonces.accepts(first, at(0.5)));
        assert!(!nonces.accepts("other", at(0.5)));
        assert!(!nonces.accepts("", at(0.5)));
        let second = nonces.current(at(1.0)).unwrap();
        assert_ne!(second, first);
        assert!(nonces.accepts(first, at(1.9)));
        assert!(!nonces.accepts(first, at(2.0)));
        assert!(nonces.accepts(second.to_str().unwrap(), at(2.9)));
        assert!(!nonces.accepts(second.to_str().unwrap(), at(4.0)));
    }
}
