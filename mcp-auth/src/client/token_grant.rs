//! A request for tokens, by a login or without a person.

use super::config::Config;
use super::credential_http::CredentialHttp;
use super::discovery::Discovery;
use super::dpop::Proving;
use super::error::AuthError;
use super::registration::Registration;
use super::scopes::Scopes;
use super::token_request::Issuer;
use super::token_response::TokenResponse;
use super::token_set::TokenSet;
use crate::authentication::ClientCredentials;

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
