//! Requests to the token endpoint and to the revocation endpoint.

use http::header::HeaderMap;
use mcp_runtime::transport::http_client::AuthHttp;

use super::client_authentication::ClientCredentials;
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::exchange::Exchange;
use super::token_response::TokenResponse;
use crate::metadata::AuthorizationServerMetadata;

const FORM: &str = "application/x-www-form-urlencoded";

/// An authorization server, and a client that it knows.
#[derive(Clone, Copy)]
pub(crate) struct Issuer<'a> {
    pub(crate) http: &'a AuthHttp,
    pub(crate) metadata: &'a AuthorizationServerMetadata,
    pub(crate) client: &'a ClientCredentials,
}

impl Issuer<'_> {
    /// Asks for a token (RFC 6749 §4.1.3, §6). `parameters` are those of the grant.
    pub(crate) async fn token(
        &self,
        step: AuthStep,
        parameters: Vec<(&'static str, String)>,
    ) -> Result<TokenResponse, AuthError> {
        let http = self.http;
        let exchange = Exchange { http, step };
        let endpoint = self.metadata.token_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| {
            let cause = AuthErrorKind::NoEndpoint("token_endpoint");
            exchange.error(&self.metadata.issuer, cause)
        })?;
        let (headers, body) = self.form(exchange, parameters)?;
        let response = exchange.post(endpoint, FORM, headers, body).await?;
        TokenResponse::parse(response.body())
            .map_err(|reason| exchange.error(endpoint, AuthErrorKind::Malformed(reason)))
    }

    /// Revokes a token (RFC 7009 §2.1). Without an endpoint for that, nothing happens.
    pub(crate) async fn revoke(&self, token: &str, hint: &str) -> Result<(), AuthError> {
        let Some(endpoint) = self.metadata.revocation_endpoint.as_deref() else {
            return Ok(());
        };
        let (http, step) = (self.http, AuthStep::Revocation);
        let exchange = Exchange { http, step };
        let (token, hint) = (token.to_owned(), hint.to_owned());
        let parameters = vec![("token", token), ("token_type_hint", hint)];
        let (headers, body) = self.form(exchange, parameters)?;
        let posted = exchange.post(endpoint, FORM, headers, body).await;
        posted.map(drop)
    }

    /// The headers and the body of a request with these parameters.
    fn form(
        &self,
        exchange: Exchange<'_>,
        mut parameters: Vec<(&'static str, String)>,
    ) -> Result<(HeaderMap, String), AuthError> {
        let mut headers = HeaderMap::new();
        let issuer = &self.metadata.issuer;
        let authenticated = self
            .client
            .authenticate(issuer, &mut parameters, &mut headers);
        authenticated.map_err(|error| exchange.error(issuer, AuthErrorKind::SigningKey(error)))?;
        let mut body = form_urlencoded::Serializer::new(String::new());
        Ok((headers, body.extend_pairs(parameters).finish()))
    }
}
