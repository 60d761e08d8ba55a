//! What a client authenticates itself by.

use std::fmt;

use super::assertion::AssertionKey;

/// What a client authenticates itself by at an authorization server. `Debug` shows no secret.
///
/// ```
/// use mcp_auth::Issuer;
/// use mcp_auth::authentication::{AssertionKey, ClientCredential};
/// use mcp_auth::jwt::SigningKey;
///
/// let key = AssertionKey::new(SigningKey::generate()?);
/// let by_key = Issuer::new("https://login.example.com").introspection("mcp-server", key);
/// let by_secret = Issuer::new("https://login.example.com").introspection("mcp-server", "secret");
/// let by_none = Issuer::new("https://login.example.com")
///     .introspection("mcp-server", ClientCredential::None);
/// # drop((by_key, by_secret, by_none));
/// # Ok::<(), mcp_auth::jwt::SigningKeyError>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ClientCredential {
    /// Nothing: the client is public, and sends its identifier alone.
    #[default]
    None,
    /// A secret, sent by `client_secret_basic`, or by `client_secret_post` where only that is offered (RFC
    /// 6749 §2.3.1).
    Secret(String),
    /// A private key, by `private_key_jwt` (RFC 7523 §2.2).
    Key(AssertionKey),
}

impl<T: Into<String>> From<T> for ClientCredential {
    fn from(secret: T) -> Self {
        Self::Secret(secret.into())
    }
}

impl From<AssertionKey> for ClientCredential {
    fn from(key: AssertionKey) -> Self {
        Self::Key(key)
    }
}

impl fmt::Debug for ClientCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Secret(_) => "Secret",
            Self::Key(_) => "Key",
        })
    }
}
