//! Token requests of clients that work without a person.

use serde::Deserialize;

use super::discovery::Discoverer;
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::grant::Grant;
use super::identity_provider::IdentityProvider;
use super::issuer_settings::STRICT;
use super::token_grant::TokenGrant;
use super::token_request::Issuer;
use super::token_set::TokenSet;
use crate::authentication::{ClientAuthentication, ClientCredentials};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

impl TokenGrant<'_> {
    /// Gets a token without a person.
    pub(super) async fn without_person(&self) -> Result<TokenSet, AuthError> {
        let client = self.config.pre_registered(&self.discovery.issuer)?;
        let mut parameters = self.grant().await?;
        parameters.push(("resource", self.discovery.resource.resource.clone()));
        let issuer = self.issuer(&client);
        let response = issuer.token(AuthStep::Token, parameters).await?;
        Ok(self.tokens(response, client, None))
    }

    /// The parameters of the grant.
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
        // An ID-JAG has the scopes that were granted.
        if !matches!(self.config.grant, Grant::Enterprise(_)) {
            parameters.extend(self.scopes.parameter().map(|it| ("scope", it)));
        }
        Ok(parameters)
    }

    /// Exchanges the person's token for an assertion to the authorization server of an MCP server (MCP
    /// extension "Enterprise-Managed Authorization" §4).
    async fn id_jag(&self, provider: &IdentityProvider) -> Result<String, AuthError> {
        let http = self.http;
        let step = AuthStep::TokenExchange;
        let discoverer = Discoverer {
            http,
            server: &provider.issuer,
            announced: None,
            config: self.config,
        };
        let metadata = discoverer.issuer(&provider.issuer).await?;
        let authentication = match provider.client_secret.clone() {
            Some(secret) => {
                let offered = metadata.token_endpoint_auth_methods_supported.as_deref();
                let cause = AuthErrorKind::SecretNotTaken;
                ClientAuthentication::with_secret(secret, offered)
                    .ok_or_else(|| AuthError::new(step, &provider.issuer, cause))?
            }
            None => ClientAuthentication::None,
        };
        let endpoint = Issuer {
            http,
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
            let reason = "it is no JSON object with an ID-JAG".to_owned();
            AuthError::new(step, &provider.issuer, AuthErrorKind::Malformed(reason))
        };
        Ok(exchanged.ok_or_else(malformed)?.access_token)
    }
}

/// An answer to a token exchange (RFC 8693 §2.2.1).
#[derive(Deserialize)]
struct Exchanged {
    access_token: String,
    issued_token_type: String,
}
