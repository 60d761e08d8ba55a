//! The provider, and the client that represents the proxy there.

use std::fmt;
use std::sync::Arc;

use crate::authentication::ClientCredential;
use crate::metadata::AuthorizationServerMetadata;
use crate::server::TokenVerifier;
use crate::server::verifier::ErasedVerifier;

/// An authorization server where people log in, and the single client of it that an
/// [`OAuthProxy`](super::OAuthProxy) is.
///
/// Register the client manually at the provider, with the redirect URI
/// [`OAuthProxy::redirect_uri`](super::OAuthProxy::redirect_uri). The provider is trusted
/// configuration and may have a private address. By default it must support OpenID Connect: its
/// endpoints and keys are discovered, and the ID token identifies the person.
///
/// ```
/// use mcp_auth::metadata::AuthorizationServerMetadata;
/// use mcp_auth::proxy::Provider;
/// # use mcp_auth::{Claims, server::{TokenVerifier, VerifyError}};
///
/// let provider = Provider::new("https://login.example.com", "client-id")
///     .secret("secret")
///     .scopes(["openid", "email", "offline_access"]);
///
/// # struct ApiOfGit;
/// # impl TokenVerifier for ApiOfGit {
/// #     async fn verify(&self, _: &str) -> Result<Claims, VerifyError> {
/// #         Err(VerifyError::Invalid("".into()))
/// #     }
/// # }
/// // Without discovery and ID tokens, `ApiOfGit` asks an API for the owner of a token.
/// let mut metadata = AuthorizationServerMetadata::default();
/// metadata.authorization_endpoint = Some("https://git.example.com/authorize".to_owned());
/// metadata.token_endpoint = Some("https://git.example.com/token".to_owned());
/// let other = Provider::new("https://git.example.com", "client-id")
///     .secret("secret")
///     .metadata(metadata)
///     .scopes(["user"])
///     .verifier(ApiOfGit);
/// # drop((provider, other));
/// ```
#[derive(Clone)]
#[must_use]
pub struct Provider {
    pub(super) issuer: String,
    pub(super) client_id: String,
    pub(super) credential: ClientCredential,
    pub(super) scopes: Vec<String>,
    pub(super) parameters: Vec<(String, String)>,
    /// `None` means that the metadata is discovered.
    pub(super) metadata: Option<AuthorizationServerMetadata>,
    pub(super) has_nonce: bool,
    /// Verifies access tokens. `None` means that ID tokens identify the person.
    pub(super) verifier: Option<Arc<dyn ErasedVerifier>>,
}

impl Provider {
    /// Creates a provider from its issuer, written exactly as in its metadata and its tokens, and
    /// from a client that is registered there. For a provider without metadata and ID tokens, the
    /// issuer is only a part of the principals.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            client_id: client_id.into(),
            credential: ClientCredential::None,
            scopes: vec!["openid".to_owned()],
            parameters: Vec::new(),
            metadata: None,
            has_nonce: true,
            verifier: None,
        }
    }

    /// Sets the client's secret. It is sent with `client_secret_basic`, unless the provider's
    /// metadata offers only `client_secret_post`. A client without a secret is a public client.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.credential = ClientCredential::Secret(secret.into());
        self
    }

    /// Sets the scopes to request from the provider. Default: `openid`.
    ///
    /// Many providers issue refresh tokens only for `offline_access`. Without refresh tokens,
    /// people log in again when the provider's access token expires.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a parameter to authorization requests, such as `access_type` with the value `offline`.
    /// Parameters of the protocol can't be replaced.
    pub fn authorization_parameter(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets the metadata of a provider that does not support discovery.
    ///
    /// The metadata needs the endpoints, `jwks_uri` if there are ID tokens, and
    /// `token_endpoint_auth_methods_supported` if the secret must be sent with
    /// `client_secret_post`. Its `issuer` is ignored.
    pub fn metadata(mut self, metadata: AuthorizationServerMetadata) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Sends no `nonce` and does not require one in ID tokens, for providers that don't return it.
    /// `state` and PKCE still bind the login to the browser.
    pub fn without_nonce(mut self) -> Self {
        self.has_nonce = false;
        self
    }

    /// Identifies the person with custom code that verifies the provider's access token, instead of
    /// with an ID token. The code may use introspection or a userinfo endpoint, for example.
    ///
    /// The verifier must check that the token was issued for this client. It is called again
    /// whenever a client refreshes its tokens, and ends the login by returning
    /// [`VerifyError::Invalid`](crate::server::VerifyError::Invalid).
    pub fn verifier(mut self, verifier: impl TokenVerifier) -> Self {
        self.verifier = Some(Arc::new(verifier));
        self
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Provider({}, {})", self.issuer, self.client_id)
    }
}
