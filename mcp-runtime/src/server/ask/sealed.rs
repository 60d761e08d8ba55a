//! States that travel sealed: any process that has the key can go on with the call.
//!
//! XChaCha20-Poly1305, because its nonces are long enough to be drawn by chance, by any number of
//! processes under one key. What a state belongs to is authenticated with it but not contained.

use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use super::asking::Memory;
use super::state::{Binding, StateError};
use crate::limits::ANSWER_TIMEOUT;

/// The form of what follows; another form gets another number.
const FORM: u8 = 1;

const ID: usize = 4;
const NONCE: usize = 24;
const HEAD: usize = 1 + ID + NONCE;
const TIME: usize = 8;

/// A secret under which a server seals what it wants to know again when a client comes back with
/// its answers (2026-07-28, "Multi Round-Trip Requests").
///
/// Servers that stand in for each other need the same one; see
/// [`ServerBuilder::state_keys`](crate::ServerBuilder::state_keys).
#[derive(Clone)]
pub struct StateKey {
    id: [u8; ID],
    cipher: XChaCha20Poly1305,
}

impl StateKey {
    /// A key made of 32 bytes that nobody can guess.
    #[must_use]
    pub fn new(secret: [u8; 32]) -> Self {
        let cipher = XChaCha20Poly1305::new(&secret.into());
        let mut id = [0; ID];
        // The tag of nothing tells keys apart and says nothing about them. No state ever has this
        // nonce, but by a chance of one in 2^192.
        if let Ok(tag) = cipher.encrypt(&XNonce::default(), [].as_slice()) {
            id.copy_from_slice(&tag[..ID]);
        }
        Self { id, cipher }
    }

    /// A key that dies with the process.
    fn random() -> Result<Self, getrandom::Error> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        Ok(Self::new(secret))
    }

    fn seal(&self, message: &[u8], binding: &Binding) -> Option<Vec<u8>> {
        let mut sealed = vec![FORM];
        sealed.extend_from_slice(&self.id);
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        sealed.extend_from_slice(&nonce);
        let payload = Payload {
            msg: message,
            aad: binding.as_bytes(),
        };
        let text = self.cipher.encrypt(&nonce.into(), payload).ok()?;
        sealed.extend_from_slice(&text);
        Some(sealed)
    }

    /// What is sealed in `sealed`, if this key did it, for that binding.
    fn open(&self, sealed: &[u8], binding: &Binding) -> Option<Vec<u8>> {
        let (head, text) = sealed.split_at_checked(HEAD)?;
        if head[0] != FORM || head[1..=ID] != self.id {
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

/// The keys of a server.
#[derive(Debug, Default)]
pub(in crate::server) struct Store {
    configured: Vec<StateKey>,
    random: OnceLock<StateKey>,
}

impl Store {
    /// The first key seals, all of them open.
    pub(super) fn new(keys: impl IntoIterator<Item = StateKey>) -> Self {
        Self {
            configured: keys.into_iter().collect(),
            random: OnceLock::new(),
        }
    }

    /// Seals `memory` until it expires. `None` where the system has no randomness to offer.
    pub(super) fn issue(&self, memory: &Memory, binding: &Binding, now: u64) -> Option<String> {
        let mut message = (now + ANSWER_TIMEOUT.as_secs()).to_be_bytes().to_vec();
        serde_json::to_writer(&mut message, memory).ok()?;
        let sealed = self.newest()?.seal(&message, binding)?;
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Opens what was sealed for `binding`.
    pub(super) fn redeem(
        &self,
        state: &str,
        binding: &Binding,
        now: u64,
    ) -> Result<Memory, StateError> {
        let sealed = URL_SAFE_NO_PAD.decode(state);
        let sealed = sealed.map_err(|_| StateError::Foreign)?;
        let mut keys = self.configured.iter().chain(self.random.get());
        let message = keys.find_map(|key| key.open(&sealed, binding));
        let message = message.ok_or(StateError::Foreign)?;
        let (expiry, memory) = message
            .split_first_chunk::<TIME>()
            .ok_or(StateError::Foreign)?;
        if now >= u64::from_be_bytes(*expiry) {
            return Err(StateError::Expired);
        }
        serde_json::from_slice(memory).map_err(|_| StateError::Foreign)
    }

    /// The key that seals.
    fn newest(&self) -> Option<&StateKey> {
        if let Some(key) = self.configured.first().or_else(|| self.random.get()) {
            return Some(key);
        }
        let key = StateKey::random()
            .inspect_err(|error| tracing::error!(%error, "the system has no randomness"))
            .ok()?;
        Some(self.random.get_or_init(|| key))
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{RawJson, RawJsonRef};
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_790_000_000;

    fn store(secrets: &[u8]) -> Store {
        Store::new(secrets.iter().map(|secret| StateKey::new([*secret; 32])))
    }

    fn binding(parts: [&str; 4]) -> Binding {
        let [method, target, argument, principal] = parts;
        let arguments = serde_json::json!({ "argument": argument });
        let arguments = RawJson::from(arguments);
        Binding::new(method, target, Some((&arguments).into()), Some(principal)).unwrap()
    }

    fn memory(answers: Vec<(String, i64)>) -> Memory {
        let answers = answers
            .into_iter()
            .map(|(name, value)| (name, RawJson::from(serde_json::json!({ "value": value }))));
        Memory {
            rounds: 3,
            answers: answers.collect(),
            note: Some("secret".to_owned()),
            ..Memory::default()
        }
    }

    fn some_memory() -> impl Strategy<Value = Memory> {
        prop::collection::vec((".{0,8}", any::<i64>()), 0..4).prop_map(memory)
    }

    proptest! {
        #[test]
        fn what_was_sealed_is_opened_in_time(memory in some_memory(), after in 0..600_u64) {
            let (ours, theirs) = (store(&[1]), store(&[1]));
            let binding = binding(["tools/call", "t", "a", "p"]);
            let state = ours.issue(&memory, &binding, NOW).unwrap();
            prop_assert_eq!(theirs.redeem(&state, &binding, NOW + after), Ok(memory));
        }

        #[test]
        fn nothing_else_is_opened(
            memory in some_memory(),
            place in any::<prop::sample::Index>(),
            letter in "[A-Za-z0-9_-]",
        ) {
            let store = store(&[1]);
            let binding = binding(["tools/call", "t", "a", "p"]);
            let state = store.issue(&memory, &binding, NOW).unwrap();
            let place = place.index(state.len());
            let mut changed = state.clone();
            changed.replace_range(place..=place, &letter);
            if changed != state {
                prop_assert_eq!(store.redeem(&changed, &binding, NOW), Err(StateError::Foreign));
            }
            let cut = store.redeem(&state[..place], &binding, NOW);
            prop_assert_eq!(cut, Err(StateError::Foreign));
        }

        #[test]
        fn no_text_is_a_state_by_chance(text in ".{0,200}") {
            let binding = binding(["tools/call", "t", "a", "p"]);
            prop_assert_eq!(store(&[1]).redeem(&text, &binding, NOW), Err(StateError::Foreign));
        }
    }

    #[test]
    fn a_state_belongs_to_one_call_of_one_caller() {
        let store = store(&[1]);
        let own = ["tools/call", "t", "a", "p"];
        let state = store.issue(&memory(vec![]), &binding(own), NOW).unwrap();
        for other in [
            ["prompts/get", "t", "a", "p"],
            ["tools/call", "u", "a", "p"],
            ["tools/call", "t", "b", "p"],
            ["tools/call", "t", "a", "q"],
        ] {
            let opened = store.redeem(&state, &binding(other), NOW);
            assert_eq!(opened, Err(StateError::Foreign), "{other:?}");
        }
    }

    #[test]
    fn arguments_may_be_written_in_another_way() {
        let bind = |text: &str| {
            let raw = RawJsonRef::from_text(text).unwrap();
            Binding::new("tools/call", "t", Some(raw), None).unwrap()
        };
        let (store, memory) = (store(&[1]), memory(vec![]));
        let state = store
            .issue(&memory, &bind(r#"{"a":1,"b":2}"#), NOW)
            .unwrap();
        assert_eq!(
            store.redeem(&state, &bind(r#"{ "b": 2, "a": 1 }"#), NOW),
            Ok(memory)
        );
    }

    #[test]
    fn no_two_numbers_are_taken_for_one() {
        let bind = |text: &str| {
            let raw = RawJsonRef::from_text(text).unwrap();
            Binding::new("tools/call", "t", Some(raw), None)
        };
        let (store, memory) = (store(&[1]), memory(vec![]));
        for (one, other) in [
            ("9007199254740993.0", "9007199254740992.0"),
            ("18446744073709551616", "18446744073709551617"),
            ("-9223372036854775809", "-9223372036854775810"),
            ("1", "1.0"),
        ] {
            let (one, other) = (bind(&format!("[{one}]")), bind(&format!("[{other}]")));
            let state = store.issue(&memory, &one.unwrap(), NOW).unwrap();
            let redeemed = store.redeem(&state, &other.unwrap(), NOW);
            assert_eq!(redeemed, Err(StateError::Foreign));
        }
        let refusal = bind(r#"{"amount":1,"z":1e400}"#).unwrap_err().to_string();
        assert!(refusal.contains("params.arguments.z"), "{refusal}");
    }

    #[test]
    fn a_state_expires() {
        let store = store(&[1]);
        let binding = binding(["tools/call", "t", "a", "p"]);
        let state = store.issue(&memory(vec![]), &binding, NOW).unwrap();
        let late = store.redeem(&state, &binding, NOW + 600);
        assert_eq!(late, Err(StateError::Expired));
    }

    #[test]
    fn keys_are_changed_without_losing_a_call() {
        let binding = binding(["tools/call", "t", "a", "p"]);
        let memory = memory(vec![]);
        let old = store(&[1]).issue(&memory, &binding, NOW).unwrap();
        let new = store(&[2, 1]).issue(&memory, &binding, NOW).unwrap();
        assert_eq!(
            store(&[2, 1]).redeem(&old, &binding, NOW),
            Ok(memory.clone())
        );
        assert_eq!(store(&[1, 2]).redeem(&new, &binding, NOW), Ok(memory));
        let dropped = store(&[2]).redeem(&old, &binding, NOW);
        assert_eq!(dropped, Err(StateError::Foreign));
    }

    #[test]
    fn the_client_learns_nothing_and_no_two_states_are_alike() {
        let store = store(&[1]);
        let binding = binding(["tools/call", "t", "a", "p"]);
        let seal = || store.issue(&memory(vec![]), &binding, NOW).unwrap();
        let (one, two) = (seal(), seal());
        assert_ne!(one, two);
        let bytes = URL_SAFE_NO_PAD.decode(one).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"secret"));
    }

    #[test]
    fn a_key_of_its_own_is_made_up_where_none_is_given() {
        let binding = binding(["tools/call", "t", "a", "p"]);
        let (ours, theirs) = (Store::default(), Store::default());
        let state = ours.issue(&memory(vec![]), &binding, NOW).unwrap();
        assert_eq!(ours.redeem(&state, &binding, NOW), Ok(memory(vec![])));
        assert_eq!(
            theirs.redeem(&state, &binding, NOW),
            Err(StateError::Foreign)
        );
    }
}
