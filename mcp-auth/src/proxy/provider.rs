//! The provider, and the client that the proxy is there.

use std::fmt;
use std::sync::Arc;

use crate::authentication::ClientCredential;
use crate::metadata::AuthorizationServerMetadata;
use crate::server::TokenVerifier;
use crate::server::verifier::ErasedVerifier;

/// An authorization server at which people log in, and the one client that an
/// [`OAuthProxy`](super::OAuthProxy) is there. Its redirect URI, to be registered at the provider by
/// hand, is [`OAuthProxy::redirect_uri`](super::OAuthProxy::redirect_uri).
///
/// It is trusted configuration, and may have a private address. Unless set otherwise, it speaks OpenID
/// Connect: its endpoints and keys are found by discovery, and who has logged in is in the ID token.
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
/// // Without discovery and ID tokens: `ApiOfGit` asks an API who has the token.
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
    /// Parameters that are added to requests for authorization.
    pub(super) parameters: Vec<(String, String)>,
    /// Absent where there is discovery.
    pub(super) metadata: Option<AuthorizationServerMetadata>,
    pub(super) has_nonce: bool,
    /// Verifies access tokens; absent where ID tokens tell who has logged in.
    pub(super) verifier: Option<Arc<dyn ErasedVerifier>>,
}

impl Provider {
    /// The provider with this issuer identifier, exactly as its metadata and its tokens have it, and a
    /// client that is registered there. Where there are none, the identifier is a part of principals.
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

    /// The secret of the client, which is sent by `client_secret_basic`, unless the provider's metadata
    /// offers only `client_secret_post`. A client without a secret is a public one.
    pub fn secret(mut self, secret: impl Into<String>) -> Self {
        self.credential = ClientCredential::Secret(secret.into());
        self
    }

    /// Scopes that the provider is asked for; `openid` unless set. Many providers issue refresh tokens
    /// only for `offline_access`: without one, people log in again when the provider's access token
    /// expires.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a parameter to requests for authorization, such as `access_type` with `offline`. The
    /// protocol's own parameters are not replaced.
    pub fn authorization_parameter(
        mut self,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// The metadata of a provider without discovery: its endpoints, `jwks_uri` if there are ID tokens, and
    /// `token_endpoint_auth_methods_supported` if the secret must be sent by `client_secret_post`. Its
    /// `issuer` is not looked at.
    pub fn metadata(mut self, metadata: AuthorizationServerMetadata) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Sends no `nonce`, and requires none in ID tokens, for providers that do not repeat it. `state` and
    /// PKCE still bind the login to the browser.
    pub fn without_nonce(mut self) -> Self {
        self.has_nonce = false;
        self
    }

    /// Has code of your own verify the provider's access token and return the claims, instead of an ID
    /// token: by introspection or userinfo, perhaps. It must check that the token was issued for this
    /// client, is asked again each time that a client refreshes its tokens, and ends the login by
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
