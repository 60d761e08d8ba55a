//! Keys for access tokens and for all sealed data that leaves this process.

use std::sync::Arc;
use std::{fmt, io};

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::jwt::{Jwk, JwkSet, SigningKey, SigningKeyError};
use crate::util::{base64url, from_base64url, random_bytes, unix_now};

/// The length of the random salt that gives each sealed message its own key.
const SALT: usize = 32;

/// The keys of an [`OAuthProxy`](super::OAuthProxy). One key signs access tokens (`ES256`); the
/// other seals what is stored and what browsers and clients keep (ChaCha20-Poly1305).
///
/// All replicas need the same keys, and logins survive a restart only if the keys stay the same.
/// After a change, keep the former pair as [`old`](Self::old): the signing key for 10 minutes, and
/// the sealing key as long as the logins and registrations that it sealed should last. There can be
/// up to seven old pairs.
///
/// ```
/// use mcp_auth::jwt::SigningKey;
/// use mcp_auth::proxy::ProxyKeys;
///
/// # let (pem, secret, former_pem, former_secret) = {
/// #     use base64::{Engine, prelude::BASE64_STANDARD};
/// #     let pem = || {
/// #         let key = BASE64_STANDARD.encode(SigningKey::generate().unwrap().to_pkcs8());
/// #         format!("-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n")
/// #     };
/// #     (pem(), [1; 32], pem(), [2; 32])
/// # };
/// // The files can be created with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`
/// // and `openssl rand 32`.
/// let keys = ProxyKeys::new(SigningKey::from_pem(&pem)?, secret)
///     .old(SigningKey::from_pem(&former_pem)?, former_secret);
/// # drop(keys);
/// # Ok::<(), mcp_auth::jwt::SigningKeyError>(())
/// ```
///
/// `Debug` shows no key.
#[must_use]
pub struct ProxyKeys {
    /// The first pair signs and seals; all pairs verify and open. There is at least one pair.
    pairs: Vec<(SigningKey, [u8; 32])>,
}

impl ProxyKeys {
    /// Creates a pair of keys that sign and seal. `sealing` is 32 secret random bytes.
    pub fn new(signing: SigningKey, sealing: [u8; 32]) -> Self {
        let pairs = vec![(signing, sealing)];
        Self { pairs }
    }

    /// Also accepts what a former pair signed and sealed.
    pub fn old(mut self, signing: SigningKey, sealing: [u8; 32]) -> Self {
        self.pairs.push((signing, sealing));
        self
    }

    /// Generates new keys, for tests and first steps. Logins and registrations end with the
    /// process, and other replicas can't use them, so this logs a warning.
    ///
    /// # Errors
    ///
    /// Fails with [`SigningKeyError::Random`] if the operating system provides no random bytes.
    pub fn generate() -> Result<Self, SigningKeyError> {
        let sealing = random_bytes().map_err(|_| SigningKeyError::Random)?;
        mcp_runtime::log::warn!(
            "keys of a proxy are generated: its logins end with this process, and replicas can't use \
             them; give `ProxyKeys::new` the same keys each time"
        );
        Ok(Self::new(SigningKey::generate()?, sealing))
    }

    pub(super) fn sign(&self, claims: &Value) -> Result<String, SigningKeyError> {
        let header = [("typ".to_owned(), json!("at+jwt"))];
        let claims = claims.as_object().cloned().unwrap_or_default();
        self.pairs[0].0.sign(header.into_iter().collect(), &claims)
    }

    pub(super) fn public(&self) -> JwkSet {
        let keys = self.pairs.iter().map(|(key, _)| key.public_jwk());
        keys.filter_map(|key| Jwk::new(key.as_object()?).ok())
            .collect()
    }
}

#[derive(Clone)]
pub(super) struct Sealer {
    pub(super) keys: Arc<ProxyKeys>,
    pub(super) resource: String,
}

impl Sealer {
    /// Seals a message. It can be opened only for the same purpose, and until `ends_at` (in seconds
    /// since 1970).
    pub(super) fn seal(
        &self,
        purpose: &str,
        ends_at: u64,
        message: &impl Serialize,
    ) -> io::Result<String> {
        let random = || io::Error::other(SigningKeyError::Random);
        let salt: [u8; SALT] = random_bytes().map_err(|_| random())?;
        let mut sealed = serde_json::to_vec(&(ends_at, message))?;
        let key = message_key(&self.keys.pairs[0].1, &salt).ok_or_else(random)?;
        let aad = Aad::from(self.aad(purpose));
        let tagged = key.seal_in_place_append_tag(only_nonce(), aad, &mut sealed);
        tagged.map_err(|_| random())?;
        Ok(base64url([&salt[..], &sealed].concat()))
    }

    /// Opens a message. Returns `None` if it has expired, or if none of the keys sealed it for this
    /// purpose.
    pub(super) fn open<T: DeserializeOwned>(&self, purpose: &str, sealed: &str) -> Option<T> {
        let sealed = from_base64url(sealed)?;
        let (salt, sealed) = sealed.split_first_chunk::<SALT>()?;
        let (ends_at, message): (u64, T) = self.keys.pairs.iter().find_map(|(_, secret)| {
            let mut sealed = sealed.to_vec();
            let aad = Aad::from(self.aad(purpose));
            let key = message_key(secret, salt)?;
            let message = key.open_in_place(only_nonce(), aad, &mut sealed).ok()?;
            serde_json::from_slice(message).ok()
        })?;
        (unix_now() < ends_at).then_some(message)
    }

    fn aad(&self, purpose: &str) -> Vec<u8> {
        format!("{purpose}\n{}", self.resource).into_bytes()
    }
}

/// Derives the key of one message. Strangers can cause any number of messages to be sealed, so a
/// single key with random 96-bit nonces would not be safe.
fn message_key(secret: &[u8; 32], salt: &[u8; SALT]) -> Option<LessSafeKey> {
    let extracted = Salt::new(HKDF_SHA256, salt).extract(secret);
    let expanded = extracted.expand(&[b"mcp-auth proxy 1"], &CHACHA20_POLY1305);
    Some(LessSafeKey::new(UnboundKey::from(expanded.ok()?)))
}

/// The nonce can be constant, because each key seals only one message.
fn only_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

impl fmt::Debug for ProxyKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProxyKeys").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: u64 = u64::MAX;

    fn sealer(secrets: &[u8], resource: &str) -> Sealer {
        let key = || SigningKey::generate().unwrap();
        let first = ProxyKeys::new(key(), [secrets[0]; 32]);
        let mut rest = secrets[1..].iter();
        let keys = rest.try_fold(first, |keys, it| Some(keys.old(key(), [*it; 32])));
        Sealer {
            keys: Arc::new(keys.unwrap()),
            resource: resource.to_owned(),
        }
    }

    #[test]
    fn a_message_is_opened_by_its_key_for_its_purpose_and_resource_only() {
        let sealed = sealer(&[1], "r").seal("a", NEVER, &"secret").unwrap();
        let open = |sealer: Sealer, purpose| sealer.open::<String>(purpose, &sealed);
        assert_eq!(open(sealer(&[1], "r"), "a").as_deref(), Some("secret"));
        assert_eq!(open(sealer(&[2, 1], "r"), "a").as_deref(), Some("secret"));
        assert_eq!(open(sealer(&[2], "r"), "a"), None);
        assert_eq!(open(sealer(&[1], "r"), "b"), None);
        assert_eq!(open(sealer(&[1], "s"), "a"), None);
    }

    #[test]
    fn a_message_is_not_opened_when_it_is_over() {
        let sealer = sealer(&[1], "r");
        let now = unix_now();
        for (ends_at, is_opened) in [(now + 60, true), (now, false), (0, false)] {
            let sealed = sealer.seal("a", ends_at, &"secret").unwrap();
            assert_eq!(sealer.open::<String>("a", &sealed).is_some(), is_opened);
        }
    }

    #[test]
    fn a_message_that_was_changed_is_not_opened() {
        let sealer = sealer(&[1], "r");
        let sealed = sealer.seal("a", NEVER, &"secret").unwrap();
        assert_ne!(sealed, sealer.seal("a", NEVER, &"secret").unwrap());
        let bytes = from_base64url(&sealed).unwrap();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            let other = base64url(other);
            assert_eq!(sealer.open::<String>("a", &other), None, "{at}");
        }
        for other in ["", "a", &sealed[..40], "!"] {
            assert_eq!(sealer.open::<String>("a", other), None);
        }
    }
}
