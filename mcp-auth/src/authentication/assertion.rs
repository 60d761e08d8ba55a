//! Assertions with which a client authenticates: `private_key_jwt` (RFC 7523 §2.2).

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, json};

use crate::jwt::{SigningKey, SigningKeyError};
use crate::limits::both::ASSERTION_LIFETIME;
use crate::util::{random_text, unix_time};

/// A private key with which a client authenticates at an issuer instead of a secret.
///
/// ```
/// use std::time::SystemTime;
///
/// use mcp_auth::authentication::AssertionKey;
/// use mcp_auth::jwt::SigningKey;
///
/// // Use `SigningKey::from_pem` for a key that is registered at the issuer.
/// let key = AssertionKey::new(SigningKey::generate()?).key_id("2026-11");
/// let assertion = key.assertion("my-app", "https://as.example.com", SystemTime::now())?;
/// # assert_eq!(assertion.split('.').count(), 3);
/// # Ok::<(), mcp_auth::jwt::SigningKeyError>(())
/// ```
#[derive(Clone)]
pub struct AssertionKey {
    key: Arc<SigningKey>,
    key_id: Option<String>,
}

impl AssertionKey {
    /// Creates an assertion key. The issuer must know the public key.
    #[must_use]
    pub fn new(key: SigningKey) -> Self {
        Self {
            key: Arc::new(key),
            key_id: None,
        }
    }

    /// Sets `kid`, which an issuer with several keys of the client needs to find this one.
    #[must_use]
    pub fn key_id(mut self, key_id: impl Into<String>) -> Self {
        self.key_id = Some(key_id.into());
        self
    }

    /// Signs an assertion with `ES256` for one token request (RFC 7523 §3).
    ///
    /// `iss` and `sub` are the client, and `aud` is the issuer alone. The assertion expires after
    /// 60 seconds and has a unique `jti`.
    ///
    /// # Errors
    ///
    /// Fails with [`SigningKeyError::Random`] if the operating system provides no random bytes.
    pub fn assertion(
        &self,
        client_id: &str,
        issuer: &str,
        now: SystemTime,
    ) -> Result<String, SigningKeyError> {
        let jti = random_text().map_err(|_| SigningKeyError::Random)?;
        let mut header = Map::new();
        header.insert("typ".to_owned(), json!("JWT"));
        if let Some(key_id) = &self.key_id {
            header.insert("kid".to_owned(), json!(key_id));
        }
        let mut claims = Map::new();
        claims.insert("iss".to_owned(), json!(client_id));
        claims.insert("sub".to_owned(), json!(client_id));
        claims.insert("aud".to_owned(), json!(issuer));
        claims.insert("iat".to_owned(), json!(unix_time(now)));
        claims.insert("exp".to_owned(), json!(unix_time(now + ASSERTION_LIFETIME)));
        claims.insert("jti".to_owned(), json!(jti));
        self.key.sign(header, &claims)
    }
}

impl fmt::Debug for AssertionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssertionKey")
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}
