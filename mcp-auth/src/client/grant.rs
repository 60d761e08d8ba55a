//! Grants with which a client gets its first token.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::AuthResult;

use super::error::{AuthError, AuthErrorKind, AuthStep};
use crate::authentication::ClientCredential;

const CLIENT_CREDENTIALS: &str = "io.modelcontextprotocol/oauth-client-credentials";
const ENTERPRISE: &str = "io.modelcontextprotocol/enterprise-managed-authorization";

#[derive(Clone)]
pub(crate) enum Grant {
    Login,
    /// The client acts on its own behalf (RFC 6749 §4.4).
    ClientCredentials,
    /// A person's identity provider decides about access (ID-JAG).
    Enterprise(IdentityProvider),
    /// The client presents a token of the platform that it runs on (RFC 7523 §2.1).
    Workload(TokenSource),
}

impl Grant {
    /// Returns true if no person is involved, so a new token can be obtained at any time.
    pub(crate) fn is_unattended(&self) -> bool {
        !matches!(self, Self::Login)
    }

    /// The identifier of the protocol extension that defines the grant.
    pub(crate) fn extension(&self) -> Option<&'static str> {
        match self {
            Self::ClientCredentials => Some(CLIENT_CREDENTIALS),
            Self::Enterprise(_) => Some(ENTERPRISE),
            Self::Login | Self::Workload(_) => None,
        }
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Login => "Login",
            Self::ClientCredentials => "ClientCredentials",
            Self::Enterprise(_) => "Enterprise",
            Self::Workload(_) => "Workload",
        })
    }
}

#[derive(Clone)]
pub(crate) struct TokenSource(Arc<dyn Fn() -> BoxFuture<AuthResult<String>> + Send + Sync>);

impl TokenSource {
    pub(crate) fn new<F>(source: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = AuthResult<String>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(source())))
    }

    /// Gets the token. `step` and `url` are for errors.
    pub(crate) async fn token(&self, step: AuthStep, url: &str) -> Result<String, AuthError> {
        let error = |cause: Box<dyn Error + Send + Sync>| {
            AuthError::new(step, url, AuthErrorKind::TokenSource(cause))
        };
        let token = (self.0)().await.map_err(error)?;
        match token.trim() {
            "" => Err(error("it is empty".into())),
            token => Ok(token.to_owned()),
        }
    }
}

const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const SAML2: &str = "urn:ietf:params:oauth:token-type:saml2";

/// The identity provider where a person has logged in to the application, for
/// [`OAuth::enterprise`](super::OAuth::enterprise).
///
/// The client finds the provider's metadata and token endpoint from its issuer. If the provider's
/// address is not public, also set
/// [`allow_private_host`](mcp_runtime::transport::http_client::HttpUrl::allow_private_host).
#[derive(Clone)]
pub struct IdentityProvider {
    pub(super) issuer: String,
    pub(super) client_id: String,
    pub(super) credential: ClientCredential,
    pub(super) subject_token: TokenSource,
    pub(super) subject_token_type: &'static str,
}

impl IdentityProvider {
    /// Creates an identity provider from its issuer and the application's identifier there.
    ///
    /// `id_token` is called for the person's ID token (OpenID Connect) whenever an access token is
    /// needed. The ID token must not have expired.
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
            credential: ClientCredential::None,
            subject_token: TokenSource::new(id_token),
            subject_token_type: ID_TOKEN,
        }
    }

    /// Sets the application's secret at the identity provider.
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.credential = ClientCredential::Secret(secret.into());
        self
    }

    /// Declares that the person's tokens are SAML 2.0 assertions in base64url instead of ID tokens.
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
