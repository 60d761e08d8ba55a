//! Requests to the token, pushed authorization and revocation endpoints.

use bytes::Bytes;
use http::header::HeaderMap;
use http::{Method, Response, Uri};
use serde::Deserialize;

use super::authorization::PendingAuthorization;
use super::dpop::{DPOP, Proving};
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::exchange::{CredentialHttp, Exchange};
use super::issuer_settings::IssuerSettings;
use super::token_response::{TokenResponse, TokenType};
use crate::authentication::ClientCredentials;
use crate::metadata::AuthorizationServerMetadata;

const FORM: &str = "application/x-www-form-urlencoded";

#[derive(Clone, Copy)]
pub(crate) struct IssuerClient<'a> {
    pub(crate) http: &'a CredentialHttp,
    pub(crate) metadata: &'a AuthorizationServerMetadata,
    pub(crate) client: &'a ClientCredentials,
    pub(crate) settings: &'a IssuerSettings,
    /// The key to bind tokens to (RFC 9449 §5).
    pub(crate) proving: Option<&'a Proving>,
}

impl IssuerClient<'_> {
    /// Requests a token (RFC 6749 §4.1.3, §6) with the parameters of a grant.
    pub(crate) async fn token(
        &self,
        step: AuthStep,
        parameters: Vec<(&'static str, String)>,
    ) -> Result<TokenResponse, AuthError> {
        let parameters = self.settings.without_omitted(parameters);
        let response = self.post(step, parameters).await?;
        let error = |cause| {
            let endpoint = self.metadata.token_endpoint.as_deref();
            AuthError::new(step, endpoint.unwrap_or_default(), cause)
        };
        let token = TokenResponse::parse(response.body())
            .map_err(|reason| error(AuthErrorKind::Malformed(reason)))?;
        match (token.token_type, self.proving) {
            (TokenType::DPoP, None) => {
                let reason = "its token is bound to a key, which was not requested".to_owned();
                Err(error(AuthErrorKind::Malformed(reason)))
            }
            (TokenType::Bearer, Some(proving)) if proving.is_required => {
                Err(error(AuthErrorKind::NoBoundTokens))
            }
            _ => Ok(token),
        }
    }

    /// Posts to the token endpoint, and again if the server demands a nonce in the proof (RFC 9449
    /// §8).
    pub(crate) async fn post(
        &self,
        step: AuthStep,
        parameters: Vec<(&'static str, String)>,
    ) -> Result<Response<Bytes>, AuthError> {
        let exchange = self.http.exchange(step);
        let endpoint = self.metadata.token_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| {
            let cause = AuthErrorKind::NoEndpoint("token_endpoint");
            exchange.error(&self.metadata.issuer, cause)
        })?;
        let url = exchange.checked(endpoint)?;
        let nonce = || self.proving.and_then(|it| it.nonces.get(&url));
        let before = nonce();
        match self.attempt(exchange, &url, parameters.clone()).await {
            Err(error) if error.code() == Some("use_dpop_nonce") && nonce() != before => {
                self.attempt(exchange, &url, parameters).await
            }
            outcome => outcome,
        }
    }

    async fn attempt(
        &self,
        exchange: Exchange<'_>,
        url: &Uri,
        parameters: Vec<(&'static str, String)>,
    ) -> Result<Response<Bytes>, AuthError> {
        let extra = &self.settings.token_parameters;
        let (mut headers, body) = self.form(exchange, parameters, extra)?;
        let endpoint = url.to_string();
        if let Some(Proving { key, nonces, .. }) = self.proving {
            let proof = key.header(&Method::POST, url, nonces, None);
            let error = |error| exchange.error(&endpoint, AuthErrorKind::SigningKey(error));
            headers.insert(DPOP, proof.map_err(error)?);
        }
        let observe = |headers: &HeaderMap| {
            if let Some(proving) = self.proving {
                proving.nonces.observe(url, headers);
            }
        };
        exchange.post(&endpoint, FORM, headers, body, observe).await
    }

    /// Pushes the parameters of a login, and returns the `request_uri` that represents them (RFC
    /// 9126 §2). Returns `None` if there is no endpoint for it, or if the endpoint refuses and
    /// pushing is optional.
    pub(crate) async fn push(
        &self,
        login: &PendingAuthorization,
    ) -> Result<Option<String>, AuthError> {
        #[derive(Deserialize)]
        struct Pushed {
            request_uri: String,
        }

        let endpoint = self
            .metadata
            .pushed_authorization_request_endpoint
            .as_deref();
        let Some(endpoint) = endpoint else {
            return Ok(None);
        };
        let exchange = self.http.exchange(AuthStep::Login);
        let (headers, body) = self.form(exchange, login.parameters.clone(), &login.extra)?;
        let is_required = self.metadata.require_pushed_authorization_requests == Some(true);
        match exchange.post(endpoint, FORM, headers, body, |_| ()).await {
            Ok(response) => match serde_json::from_slice::<Pushed>(response.body()) {
                Ok(pushed) => Ok(Some(pushed.request_uri)),
                Err(_) => {
                    let reason = "it is not a JSON object with a `request_uri`".to_owned();
                    Err(exchange.error(endpoint, AuthErrorKind::Malformed(reason)))
                }
            },
            Err(error) if is_required || error.code() == Some("invalid_client") => Err(error),
            Err(error) => {
                tracing::debug!(%error, "the parameters of the login were not pushed");
                Ok(None)
            }
        }
    }

    /// Revokes a token (RFC 7009 §2.1). Does nothing if the issuer has no revocation endpoint.
    pub(crate) async fn revoke(&self, token: &str, hint: &str) -> Result<(), AuthError> {
        let Some(endpoint) = self.metadata.revocation_endpoint.as_deref() else {
            return Ok(());
        };
        let exchange = self.http.exchange(AuthStep::Revocation);
        let token = token.to_owned();
        let hint = hint.to_owned();
        let parameters = vec![("token", token), ("token_type_hint", hint)];
        let (headers, body) = self.form(exchange, parameters, &[])?;
        let posted = exchange.post(endpoint, FORM, headers, body, |_| ()).await;
        posted.map(drop)
    }

    fn form(
        &self,
        exchange: Exchange<'_>,
        mut parameters: Vec<(&'static str, String)>,
        extra: &[(String, String)],
    ) -> Result<(HeaderMap, String), AuthError> {
        let mut headers = HeaderMap::new();
        let issuer = &self.metadata.issuer;
        let authenticated = self
            .client
            .authenticate(issuer, &mut parameters, &mut headers);
        authenticated.map_err(|error| exchange.error(issuer, AuthErrorKind::SigningKey(error)))?;
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(parameters).extend_pairs(extra);
        Ok((headers, body.finish()))
    }
}
