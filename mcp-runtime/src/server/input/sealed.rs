//! Seals the states of calls to send them through the client. Any process with the key can continue
//! a call.
//!
//! States are encrypted with XChaCha20-Poly1305. The nonces are long enough to be random for any
//! number of processes with the same key. The binding of a state is authenticated as associated
//! data, and not part of the message.

use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::state::{Binding, RetryState, StateError};
use crate::limits::ANSWER_TIMEOUT;

const VERSION: u8 = 1;

const ID: usize = 4;
const NONCE: usize = 24;
const HEAD: usize = 1 + ID + NONCE;
const TIME: usize = 8;

/// A secret key that seals the state of a call between its rounds (2026-07-28, "Multi Round-Trip
/// Requests").
///
/// All replicas of a server need the same key; see
/// [`ServerBuilder::state_keys`](crate::ServerBuilder::state_keys).
#[derive(Clone)]
pub struct StateKey {
    id: [u8; ID],
    cipher: XChaCha20Poly1305,
}

impl StateKey {
    /// Creates a key from 32 secret random bytes.
    #[must_use]
    pub fn new(secret: [u8; 32]) -> Self {
        let cipher = XChaCha20Poly1305::new(&secret.into());
        let mut id = [0; ID];
        // The tag of an empty message identifies the key without revealing it. The zero nonce is
        // not reused: a state gets it with a probability of one in 2^192.
        if let Ok(tag) = cipher.encrypt(&XNonce::default(), [].as_slice()) {
            id.copy_from_slice(&tag[..ID]);
        }
        Self { id, cipher }
    }

    fn seal(&self, message: &[u8], binding: &Binding) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let payload = Payload {
            msg: message,
            aad: binding.as_bytes(),
        };
        let text = self.cipher.encrypt(&nonce.into(), payload).ok()?;
        Some([&[VERSION], &self.id[..], &nonce, &text].concat())
    }

    /// Opens a state. Returns `None` if it was not sealed with this key and binding.
    fn open(&self, sealed: &[u8], binding: &Binding) -> Option<Vec<u8>> {
        let (head, text) = sealed.split_at_checked(HEAD)?;
        if head[0] != VERSION || head[1..=ID] != self.id {
            return None;
        }
        let nonce: [u8; NONCE] = head[1 + ID..].try_into().ok()?;
        let payload = Payload {
            msg: text,
            aad: binding.as_bytes(),
        };
        self.cipher.decrypt(&nonce.into(), payload).ok()
    }
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateKey").finish_non_exhaustive()
    }
}

/// The keys of a server that seal the states of its calls.
#[derive(Debug, Default)]
pub(in crate::server) struct RetryStates {
    configured: Vec<StateKey>,
    random: OnceLock<StateKey>,
}

impl RetryStates {
    /// The first key seals new states; all keys open states.
    pub(in crate::server) fn new(keys: impl IntoIterator<Item = StateKey>) -> Self {
        Self {
            configured: keys.into_iter().collect(),
            random: OnceLock::new(),
        }
    }

    /// Returns true if other replicas can have the same keys.
    pub(in crate::server) fn are_shared(&self) -> bool {
        !self.configured.is_empty()
    }

    /// Seals a state that expires after [`ANSWER_TIMEOUT`]. Returns `None` if the operating system
    /// provides no randomness.
    pub(super) fn issue(&self, retry: &RetryState, binding: &Binding, now: u64) -> Option<String> {
        let mut message = (now + ANSWER_TIMEOUT.as_secs()).to_be_bytes().to_vec();
        serde_json::to_writer(&mut message, retry).ok()?;
        let sealed = self.newest()?.seal(&message, binding)?;
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    pub(super) fn redeem(
        &self,
        state: &str,
        binding: &Binding,
        now: u64,
    ) -> Result<RetryState, StateError> {
        let sealed = URL_SAFE_NO_PAD.decode(state);
        let sealed = sealed.map_err(|_| StateError::Foreign)?;
        let mut keys = self.configured.iter().chain(self.random.get());
        let message = keys.find_map(|key| key.open(&sealed, binding));
        let message = message.ok_or(StateError::Foreign)?;
        let (expiry, retry) = message
            .split_first_chunk::<TIME>()
            .ok_or(StateError::Foreign)?;
        if now >= u64::from_be_bytes(*expiry) {
            return Err(StateError::Expired);
        }
        serde_json::from_slice(retry).map_err(|_| StateError::Foreign)
    }

    /// Returns the key that seals. If none is configured, it is created randomly.
    fn newest(&self) -> Option<&StateKey> {
        if let Some(key) = self.configured.first().or_else(|| self.random.get()) {
            return Some(key);
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)
            .inspect_err(
                |error| crate::log::error!(%error, "the operating system provides no randomness"),
            )
            .ok()?;
        Some(self.random.get_or_init(|| StateKey::new(secret)))
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{RawJson, RawJsonRef};
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_790_000_000;

    fn states(secrets: &[u8]) -> RetryStates {
        RetryStates::new(secrets.iter().map(|secret| StateKey::new([*secret; 32])))
    }

    fn binding(parts: [&str; 4]) -> Binding {
        let [method, target, argument, principal] = parts;
        let arguments = serde_json::json!({ "argument": argument });
        let arguments = RawJson::from(arguments);
        Binding::new(method, target, Some((&arguments).into()), Some(principal)).unwrap()
    }

    fn retry(answers: Vec<(String, i64)>) -> RetryState {
        let answers = answers
            .into_iter()
            .map(|(name, value)| (name, RawJson::from(serde_json::json!({ "value": value }))));
        RetryState {
            rounds: 3,
            answers: answers.collect(),
            note: Some("secret".to_owned()),
            ..RetryState::default()
        }
    }

    fn any_state() -> impl Strategy<Value = RetryState> {
        prop::collection::vec((".{0,8}", any::<i64>()), 0..4).prop_map(retry)
    }

    proptest! {
        #[test]
        fn what_was_sealed_is_opened_in_time(retry in any_state(), after in 0..600_u64) {
            let ours = states(&[1]);
            let theirs = states(&[1]);
            let binding = binding(["tools/call", "t", "a", "p"]);
            let state = ours.issue(&retry, &binding, NOW).unwrap();
            prop_assert_eq!(theirs.redeem(&state, &binding, NOW + after), Ok(retry));
        }

        #[test]
        fn nothing_else_is_opened(
            retry in any_state(),
            place in any::<prop::sample::Index>(),
            letter in "[A-Za-z0-9_-]",
        ) {
            let states = states(&[1]);
            let binding = binding(["tools/call", "t", "a", "p"]);
            let state = states.issue(&retry, &binding, NOW).unwrap();
            let place = place.index(state.len());
            let mut changed = state.clone();
            changed.replace_range(place..=place, &letter);
            if changed != state {
                prop_assert_eq!(states.redeem(&changed, &binding, NOW), Err(StateError::Foreign));
            }
            let cut = states.redeem(&state[..place], &binding, NOW);
            prop_assert_eq!(cut, Err(StateError::Foreign));
        }

        #[test]
        fn no_text_is_a_state_by_chance(text in ".{0,200}") {
            let binding = binding(["tools/call", "t", "a", "p"]);
            prop_assert_eq!(states(&[1]).redeem(&text, &binding, NOW), Err(StateError::Foreign));
        }
    }

    #[test]
    fn a_state_belongs_to_one_call_of_one_caller() {
        let states = states(&[1]);
        let own = ["tools/call", "t", "a", "p"];
        let state = states.issue(&retry(vec![]), &binding(own), NOW).unwrap();
        for other in [
            ["prompts/get", "t", "a", "p"],
            ["tools/call", "u", "a", "p"],
            ["tools/call", "t", "b", "p"],
            ["tools/call", "t", "a", "q"],
        ] {
            let opened = states.redeem(&state, &binding(other), NOW);
            assert_eq!(opened, Err(StateError::Foreign), "{other:?}");
        }
    }

    #[test]
    fn arguments_may_be_written_in_another_way() {
        let bind = |text: &str| {
            let raw = RawJsonRef::from_text(text).unwrap();
            Binding::new("tools/call", "t", Some(raw), None).unwrap()
        };
        let states = states(&[1]);
        let retry = retry(vec![]);
        let state = states
            .issue(&retry, &bind(r#"{"a":1,"b":2}"#), NOW)
            .unwrap();
        assert_eq!(
            states.redeem(&state, &bind(r#"{ "b": 2, "a": 1 }"#), NOW),
            Ok(retry)
        );
    }

    #[test]
    fn no_two_numbers_are_taken_for_one() {
        let bind = |text: &str| {
            let raw = RawJsonRef::from_text(text).unwrap();
            Binding::new("tools/call", "t", Some(raw), None)
        };
        let states = states(&[1]);
        let retry = retry(vec![]);
        for (one, other) in [
            ("9007199254740993.0", "9007199254740992.0"),
            ("18446744073709551616", "18446744073709551617"),
            ("-9223372036854775809", "-9223372036854775810"),
            ("1", "1.0"),
        ] {
            let one = bind(&format!("[{one}]"));
            let other = bind(&format!("[{other}]"));
            let state = states.issue(&retry, &one.unwrap(), NOW).unwrap();
            let redeemed = states.redeem(&state, &other.unwrap(), NOW);
            assert_eq!(redeemed, Err(StateError::Foreign));
        }
        let refusal = bind(r#"{"amount":1,"z":1e400}"#).unwrap_err().to_string();
        assert!(refusal.contains("params.arguments.z"), "{refusal}");
    }

    #[test]
    fn a_state_expires() {
        let states = states(&[1]);
        let binding = binding(["tools/call", "t", "a", "p"]);
        let state = states.issue(&retry(vec![]), &binding, NOW).unwrap();
        let late = states.redeem(&state, &binding, NOW + 600);
        assert_eq!(late, Err(StateError::Expired));
    }

    #[test]
    fn keys_are_changed_without_losing_a_call() {
        let binding = binding(["tools/call", "t", "a", "p"]);
        let retry = retry(vec![]);
        let old = states(&[1]).issue(&retry, &binding, NOW).unwrap();
        let new = states(&[2, 1]).issue(&retry, &binding, NOW).unwrap();
        assert_eq!(
            states(&[2, 1]).redeem(&old, &binding, NOW),
            Ok(retry.clone())
        );
        assert_eq!(states(&[1, 2]).redeem(&new, &binding, NOW), Ok(retry));
        let dropped = states(&[2]).redeem(&old, &binding, NOW);
        assert_eq!(dropped, Err(StateError::Foreign));
    }

    #[test]
    fn the_client_learns_nothing_and_no_two_states_are_alike() {
        let states = states(&[1]);
        let binding = binding(["tools/call", "t", "a", "p"]);
        let seal = || states.issue(&retry(vec![]), &binding, NOW).unwrap();
        let one = seal();
        let two = seal();
        assert_ne!(one, two);
        let bytes = URL_SAFE_NO_PAD.decode(one).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"secret"));
    }

    #[test]
    fn a_key_of_its_own_is_made_up_where_none_is_given() {
        let binding = binding(["tools/call", "t", "a", "p"]);
        let ours = RetryStates::default();
        let theirs = RetryStates::default();
        let state = ours.issue(&retry(vec![]), &binding, NOW).unwrap();
        assert_eq!(ours.redeem(&state, &binding, NOW), Ok(retry(vec![])));
        assert_eq!(
            theirs.redeem(&state, &binding, NOW),
            Err(StateError::Foreign)
        );
    }
}
