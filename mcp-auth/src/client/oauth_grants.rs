//! `OAuth` of clients that work without a person.

use std::future::Future;

use mcp_runtime::transport::http_client::AuthResult;

use super::grant::Grant;
use super::identity_provider::IdentityProvider;
use super::oauth::OAuth;
use super::token_source::TokenSource;
use crate::authentication::AssertionKey;

/// Clients that work without a person. Each of them needs the [`issuer`](OAuth::issuer) that it is
/// known to: its credentials are sent to no other one, whatever an MCP server names.
impl OAuth {
    /// A program that acts for itself: client credentials with a secret (MCP extension
    /// `io.modelcontextprotocol/oauth-client-credentials`; RFC 6749 §4.4).
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::client_credentials("nightly-report", "secret")
    ///     .issuer("https://login.example.com")
    ///     .scopes(["files:read"]);
    /// # drop(oauth);
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        let oauth = Self::by(Grant::ClientCredentials);
        oauth.client(id).client_secret(secret)
    }

    /// A program that acts for itself: client credentials with a private key in the place of the
    /// secret (`private_key_jwt`), which the extension recommends.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    /// use mcp_auth::authentication::AssertionKey;
    /// use mcp_auth::jwt::SigningKey;
    ///
    /// # fn example(pem: &str) -> Result<OAuth, Box<dyn std::error::Error>> {
    /// let key = AssertionKey::new(SigningKey::from_pem(pem)?);
    /// let oauth = OAuth::client_credentials_with_key("nightly-report", key)
    ///     .issuer("https://login.example.com");
    /// # Ok(oauth)
    /// # }
    /// ```
    pub fn client_credentials_with_key(id: impl Into<String>, key: AssertionKey) -> Self {
        Self::by(Grant::ClientCredentials)
            .client(id)
            .client_key(key)
    }

    /// An application in an enterprise whose identity provider decides what its people may use (MCP
    /// extension `io.modelcontextprotocol/enterprise-managed-authorization`). Nobody is asked: the
    /// person's identity token is exchanged at the identity provider for an assertion (ID-JAG), and
    /// that at the authorization server for an access token.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    /// use mcp_auth::client::identity_provider::IdentityProvider;
    ///
    /// # async fn id_token_of_the_person() -> std::io::Result<String> { Ok(String::new()) }
    /// let provider = IdentityProvider::new("https://acme.idp.example", "my-app", async || {
    ///     Ok(id_token_of_the_person().await?)
    /// });
    /// let oauth = OAuth::enterprise(provider)
    ///     .client("my-app-at-chat")
    ///     .client_secret("secret")
    ///     .issuer("https://auth.chat.example");
    /// # drop(oauth);
    /// ```
    pub fn enterprise(provider: IdentityProvider) -> Self {
        Self::by(Grant::Enterprise(provider))
    }

    /// A workload whose platform gives it tokens, such as a Kubernetes service account, that the
    /// authorization server trusts (RFC 7523 §2.1). `source` is asked for the token each time that an
    /// access token is needed. If the server refuses it, that is the result: nothing else is tried.
    ///
    /// ```
    /// use mcp_auth::OAuth;
    ///
    /// let oauth = OAuth::workload(async || {
    ///     Ok(std::fs::read_to_string("/var/run/secrets/tokens/mcp")?)
    /// })
    /// .issuer("https://login.example.com");
    /// # drop(oauth);
    /// ```
    ///
    /// A [`client`](OAuth::client) is named in the request only if it is set.
    pub fn workload<F>(source: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = AuthResult<String>> + Send + 'static,
    {
        Self::by(Grant::Workload(TokenSource::new(source)))
    }

    fn by(grant: Grant) -> Self {
        Self::new("").with(|config| config.grant = grant)
    }
}
