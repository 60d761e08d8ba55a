//! The grants by which a client gets its first token.

use std::fmt;

use super::config::Config;
use super::credential_http::CredentialHttp;
use super::discovery::Discovery;
use super::dpop::Proving;
use super::error::AuthError;
use super::identity_provider::IdentityProvider;
use super::registration::Registration;
use super::scopes::Scopes;
use super::token_request::Issuer;
use super::token_response::TokenResponse;
use super::token_set::TokenSet;
use super::token_source::TokenSource;
use crate::authentication::ClientCredentials;

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

/// A grant at one authorization server.
pub(crate) struct TokenGrant<'a> {
    pub(crate) config: &'a Config,
    pub(crate) http: &'a CredentialHttp,
    pub(crate) discovery: &'a Discovery,
    pub(crate) scopes: Scopes,
    pub(crate) proving: Option<Proving>,
}

impl TokenGrant<'_> {
    /// Gets tokens in the way that the user has chosen.
    pub(crate) async fn run(&self) -> Result<TokenSet, AuthError> {
        if self.config.grant.is_unattended() {
            self.without_person().await
        } else {
            self.log_in().await
        }
    }

    /// The authorization server, with the client that it knows.
    pub(super) fn issuer<'a>(&'a self, client: &'a ClientCredentials) -> Issuer<'a> {
        let metadata = &self.discovery.issuer;
        Issuer {
            http: self.http,
            metadata,
            client,
            settings: self.config.settings_of(&metadata.issuer),
            proving: self.proving.as_ref(),
        }
    }

    pub(super) fn tokens(
        &self,
        response: TokenResponse,
        client: ClientCredentials,
        registration: Option<Registration>,
    ) -> TokenSet {
        let key = self.proving.as_ref().map(|it| it.key.clone());
        TokenSet::new(response, &self.scopes, client.client_id, registration, key)
    }
}
