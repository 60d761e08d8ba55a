//! Verification of the tokens of one issuer, for code of one's own.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use mcp_runtime::transport::http_client::AuthHttp;

use super::error::ResourceServerError;
use super::issuer::Issuer;
use super::token_cache::token_hash;
use super::token_issuer::{TokenIssuer, is_opaque};
use super::verifier::{TokenVerifier, VerifyError};
use crate::jwt::{Claims, TokenError, unverified_issuer};

/// Verifies the tokens of one [`Issuer`] as a [`ResourceServer`](super::ResourceServer) does, for a
/// [`TokenVerifier`] that does something more: keys are fetched once and kept fresh, and look-ups are
/// shared and remembered. Clones share them.
///
/// ```
/// use mcp_auth::jwt::Claims;
/// use mcp_auth::server::{Issuer, IssuerVerifier, ResourceServer, TokenVerifier, VerifyError};
///
/// /// Accepts people who are in the directory.
/// struct Employees {
///     tokens: IssuerVerifier,
/// }
///
/// impl TokenVerifier for Employees {
///     async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
///         let claims = self.tokens.verify(token).await?;
///         // Looks the person up.
///         match claims.subject() {
///             Some("alice") => Ok(claims),
///             _ => Err(VerifyError::Invalid("the person is not in the directory".into())),
///         }
///     }
/// }
///
/// let resource = "https://mcp.example.com/mcp";
/// let tokens = IssuerVerifier::new(Issuer::new("https://login.example.com"), resource)?;
/// let auth = ResourceServer::new(resource)
///     .issuer("https://login.example.com")
///     .verifier(Employees { tokens });
/// # drop(auth);
/// # Ok::<(), mcp_auth::server::ResourceServerError>(())
/// ```
#[derive(Clone)]
pub struct IssuerVerifier(Arc<TokenIssuer>);

impl IssuerVerifier {
    /// Verifies tokens of `issuer` for the resource with this identifier.
    ///
    /// # Errors
    ///
    /// The first mistake in the settings of the issuer.
    pub fn new(
        issuer: impl Into<Issuer>,
        resource: impl Into<String>,
    ) -> Result<Self, ResourceServerError> {
        let issuer = issuer.into();
        issuer.check()?;
        let http = AuthHttp::trusted([]);
        let http = http.map_err(|error| ResourceServerError::Certificate(error.to_string()))?;
        Ok(Self(Arc::new(TokenIssuer::new(
            &issuer,
            &resource.into(),
            http,
        ))))
    }
}

impl TokenVerifier for IssuerVerifier {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let hash = token_hash(token);
        let now = SystemTime::now();
        let verified = if is_opaque(token) {
            let found = self.0.opaque(token, &hash, now).await;
            found.unwrap_or_else(|| Err(TokenError::Malformed.into()))
        } else if self.0.rules.is_of(&unverified_issuer(token)?) {
            self.0.jwt(0, token, &hash, false, now).await
        } else {
            Err(TokenError::Issuer.into())
        };
        let (claims, _) = verified.map_err(VerifyError::from)?;
        Ok(claims)
    }
}

impl fmt::Debug for IssuerVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuerVerifier({})", self.0.rules.issuer())
    }
}
