//! Proof Key for Code Exchange (RFC 7636), by `S256` only.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use std::fmt;

use crate::random::{RandomError, random_text};

/// A code verifier and its challenge: who has started an authorization can prove it.
///
/// `Debug` does not show the verifier.
#[derive(Clone)]
pub(crate) struct Pkce {
    verifier: String,
}

impl Pkce {
    /// A verifier of 256 random bits, in 43 characters (RFC 7636 §4.1).
    ///
    /// # Errors
    ///
    /// [`RandomError`].
    pub(crate) fn generate() -> Result<Self, RandomError> {
        Ok(Self {
            verifier: random_text()?,
        })
    }

    /// `code_verifier`, for the token request. It is a secret until then.
    #[must_use]
    pub(crate) fn verifier(&self) -> &str {
        &self.verifier
    }

    /// `code_challenge`, for the authorization request: the verifier's SHA-256 in base64url.
    #[must_use]
    pub(crate) fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, self.verifier.as_bytes()))
    }
}

impl fmt::Debug for Pkce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pkce").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Pkce;

    #[test]
    fn the_challenge_is_that_of_rfc_7636_appendix_b() {
        let pkce = Pkce {
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned(),
        };
        assert_eq!(
            pkce.challenge(),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn a_verifier_is_long_random_and_not_shown() {
        let pkce = Pkce::generate().unwrap();
        let verifier = pkce.verifier();
        assert_eq!(verifier.len(), 43);
        let unreserved = |it: char| it.is_ascii_alphanumeric() || "-._~".contains(it);
        assert!(verifier.chars().all(unreserved));
        assert_ne!(verifier, Pkce::generate().unwrap().verifier());
        assert!(!format!("{pkce:?}").contains(verifier));
    }
}
