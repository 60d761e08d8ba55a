//! Random texts.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

/// The operating system gives no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gives no random bytes")]
pub struct RandomError;

/// 256 random bits in base64url.
pub(crate) fn random_text() -> Result<String, RandomError> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| RandomError)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}
