//! The identity provider of an enterprise, which gives assertions for authorization servers (ID-JAG).

use std::fmt;
use std::future::Future;

use mcp_runtime::transport::http_client::AuthResult;

use super::token_source::TokenSource;

const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const SAML2: &str = "urn:ietf:params:oauth:token-type:saml2";

/// The identity provider at which a person has logged in to the application, for
/// [`OAuth::enterprise`](super::OAuth::enterprise).
///
/// Its metadata and its token endpoint are found by its issuer. If it has an address that is not public,
/// [`allow_private_host`](mcp_runtime::transport::http_client::HttpUrl::allow_private_host) is
/// needed.
#[derive(Clone)]
pub struct IdentityProvider {
    pub(super) issuer: String,
    pub(super) client_id: String,
    pub(super) client_secret: Option<String>,
    pub(super) subject_token: TokenSource,
    pub(super) subject_token_type: &'static str,
}

impl IdentityProvider {
    /// The identity provider with this issuer, and the identifier that the application has there.
    /// `id_token` is called for the person's ID token (OpenID Connect) each time that an access token
    /// is needed; it must not have expired.
    pub fn new<F>(
        issuer: impl Into<String>,
        client_id: impl Into<String>,
        id_token: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = AuthResult<String>> + Send + 'static,
    {
        Self {
            issuer: issuer.into(),
            client_id: client_id.into(),
            client_secret: None,
            subject_token: TokenSource::new(id_token),
            subject_token_type: ID_TOKEN,
        }
    }

    /// The secret that the application has at the identity provider.
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// The person's tokens are SAML 2.0 assertions in base64url, not ID tokens.
    #[must_use]
    pub fn saml(mut self) -> Self {
        self.subject_token_type = SAML2;
        self
    }
}

impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityProvider")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
