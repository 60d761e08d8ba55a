//! Requests for tokens, with a login or without a person.

use serde::Deserialize;

use super::config::Config;
use super::discovery::{Discoverer, Discovery};
use super::dpop::Proving;
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::exchange::CredentialHttp;
use super::grant::{Grant, IdentityProvider};
use super::issuer_settings::STRICT;
use super::registration::Registration;
use super::scopes::Scopes;
use super::session::Session;
use super::token_request::IssuerClient;
use super::token_response::TokenResponse;
use super::token_set::TokenSet;
use crate::authentication::ClientCredentials;

pub(crate) struct TokenGrant<'a> {
    pub(crate) config: &'a Config,
    pub(crate) http: &'a CredentialHttp,
    pub(crate) discovery: &'a Discovery,
    pub(crate) scopes: Scopes,
    pub(crate) proving: Option<Proving>,
    pub(crate) session: &'a Session,
}

impl TokenGrant<'_> {
    pub(crate) async fn run(&self) -> Result<TokenSet, AuthError> {
        if self.config.grant.is_unattended() {
            self.without_person().await
        } else {
            self.log_in().await
        }
    }

    pub(super) fn issuer<'a>(&'a self, client: &'a ClientCredentials) -> IssuerClient<'a> {
        let metadata = &self.discovery.issuer;
        IssuerClient {
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

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

impl TokenGrant<'_> {
    async fn without_person(&self) -> Result<TokenSet, AuthError> {
        let client = self.config.pre_registered(&self.discovery.issuer)?;
        let mut parameters = self.grant().await?;
        parameters.push(("resource", self.discovery.resource.resource.clone()));
        let issuer = self.issuer(&client);
        let response = issuer.token(AuthStep::Token, parameters).await?;
        Ok(self.tokens(response, client, None))
    }

    /// The parameters of the token request that are specific to the grant.
    async fn grant(&self) -> Result<Vec<(&'static str, String)>, AuthError> {
        let (grant_type, assertion) = match &self.config.grant {
            Grant::Workload(source) => {
                let issuer = &self.discovery.issuer.issuer;
                let token = source.token(AuthStep::Token, issuer).await?;
                (JWT_BEARER, Some(token))
            }
            Grant::Enterprise(provider) => (JWT_BEARER, Some(self.id_jag(provider).await?)),
            Grant::ClientCredentials | Grant::Login => ("client_credentials", None),
        };
        let mut parameters = vec![("grant_type", grant_type.to_owned())];
        parameters.extend(assertion.map(|it| ("assertion", it)));
        // An ID-JAG contains the granted scopes.
        if !matches!(self.config.grant, Grant::Enterprise(_)) {
            parameters.extend(self.scopes.parameter().map(|it| ("scope", it)));
        }
        Ok(parameters)
    }

    /// Exchanges the person's token for an assertion that the MCP server's authorization server
    /// accepts (MCP extension "Enterprise-Managed Authorization" §4).
    async fn id_jag(&self, provider: &IdentityProvider) -> Result<String, AuthError> {
        let step = AuthStep::TokenExchange;
        let discoverer = Discoverer {
            http: self.http,
            server: &provider.issuer,
            announced: None,
            config: self.config,
        };
        let metadata = discoverer.issuer(&provider.issuer).await?;
        let error = |cause| AuthError::new(step, &provider.issuer, cause);
        let offered = metadata.token_endpoint_auth_methods_supported.as_deref();
        let authentication = provider.credential.authentication(offered);
        let authentication = authentication.ok_or_else(|| error(AuthErrorKind::SecretNotTaken))?;
        let endpoint = IssuerClient {
            http: self.http,
            metadata: &metadata,
            client: &ClientCredentials {
                client_id: provider.client_id.clone(),
                authentication,
            },
            settings: &STRICT,
            proving: None,
        };
        let subject_token = provider.subject_token.token(step, &provider.issuer).await?;
        let mut parameters = vec![
            ("grant_type", TOKEN_EXCHANGE.to_owned()),
            ("requested_token_type", ID_JAG.to_owned()),
            ("audience", self.discovery.issuer.issuer.clone()),
            ("resource", self.discovery.resource.resource.clone()),
            ("subject_token", subject_token),
            ("subject_token_type", provider.subject_token_type.to_owned()),
        ];
        parameters.extend(self.scopes.parameter().map(|it| ("scope", it)));
        let response = endpoint.post(step, parameters).await?;
        let exchanged: Option<Exchanged> = serde_json::from_slice(response.body()).ok();
        let exchanged = exchanged.filter(|it| it.issued_token_type == ID_JAG);
        let malformed = || {
            let reason = "it is not a JSON object with an ID-JAG".to_owned();
            error(AuthErrorKind::Malformed(reason))
        };
        Ok(exchanged.ok_or_else(malformed)?.access_token)
    }
}

/// The response to a token exchange (RFC 8693 §2.2.1).
#[derive(Deserialize)]
struct Exchanged {
    access_token: String,
    issued_token_type: String,
}
