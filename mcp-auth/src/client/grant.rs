//! The grants by which a client gets its first token.

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

/// The way by which a client gets its first token.
#[derive(Clone)]
pub(crate) enum Grant {
    /// A person logs in.
    Login,
    /// The client itself has the rights (RFC 6749 §4.4).
    ClientCredentials,
    /// A person's identity provider decides (ID-JAG).
    Enterprise(IdentityProvider),
    /// A token of the workload's platform is presented (RFC 7523 §2.1).
    Workload(TokenSource),
}

impl Grant {
    /// True if nobody is asked: a new token can be had at any time.
    pub(crate) fn is_unattended(&self) -> bool {
        !matches!(self, Self::Login)
    }

    /// The identifier of the protocol's extension that defines it.
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

/// A function that returns a token.
#[derive(Clone)]
pub(crate) struct TokenSource(Arc<dyn Fn() -> BoxFuture<AuthResult<String>> + Send + Sync>);

impl TokenSource {
    pub(crate) fn new<F>(source: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = AuthResult<String>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(source())))
    }

    /// The token, for a request to the server at `url`.
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
    pub(super) credential: ClientCredential,
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
            credential: ClientCredential::None,
            subject_token: TokenSource::new(id_token),
            subject_token_type: ID_TOKEN,
        }
    }

    /// The secret that the application has at the identity provider.
    #[must_use]
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.credential = ClientCredential::Secret(secret.into());
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
