//! Helpers for all modules.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

/// Locks a mutex, even if it is poisoned. No code of this crate leaves a half-changed value behind
/// when it panics, so the value is still valid.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A store is unavailable, and its error was logged.
#[cfg(feature = "server")]
#[derive(Debug)]
pub(crate) struct StoreFailed;

/// Logs errors of a store, at most once a minute.
#[cfg(feature = "server")]
#[derive(Default)]
pub(crate) struct StoreLog(mcp_runtime::log::OnceAMinute);

#[cfg(feature = "server")]
impl StoreLog {
    pub(crate) fn checked<T, E: std::fmt::Display>(
        &self,
        result: Result<T, E>,
    ) -> Result<T, StoreFailed> {
        result.map_err(|error| {
            if self.0.is_first() {
                mcp_runtime::log::warn!(
                    %error, "a store has failed, so requests get the status 503 (logged once a minute)"
                );
            }
            StoreFailed
        })
    }
}

/// Converts a time to seconds since 1970, as JWTs and token stores use it.
pub(crate) fn unix_time(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The current time in seconds since 1970.
#[cfg(feature = "client")]
pub(crate) fn unix_now() -> u64 {
    unix_time(SystemTime::now())
}

/// The operating system provides no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system provides no random bytes")]
pub struct RandomError;

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], RandomError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| RandomError)?;
    Ok(bytes)
}

/// 256 random bits in base64url.
pub(crate) fn random_text() -> Result<String, RandomError> {
    Ok(base64url(random_bytes::<32>()?))
}

/// Encodes bytes in base64url without padding.
pub(crate) fn base64url(bytes: impl AsRef<[u8]>) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn from_base64url(text: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// The SHA-256 hash of a string, in base64url.
pub(crate) fn hash_text(text: &str) -> String {
    base64url(sha256(text))
}

pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes.as_ref()).as_ref());
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_of_pkce_is_that_of_rfc_7636_appendix_b() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(hash_text(verifier), challenge);
    }

    #[test]
    fn a_random_text_is_a_verifier_for_pkce() {
        let text = random_text().unwrap();
        assert_eq!(text.len(), 43);
        let unreserved = |it: char| it.is_ascii_alphanumeric() || "-._~".contains(it);
        assert!(text.chars().all(unreserved));
        assert_ne!(text, random_text().unwrap());
    }
}
