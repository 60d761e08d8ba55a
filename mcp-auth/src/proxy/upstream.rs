//! The proxy as a client of the provider.

use std::sync::Arc;
use std::time::SystemTime;

use mcp_runtime::transport::http_client::AuthHttp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::http_message::{OAuthError, OAuthResult};
use super::provider::Provider;
use crate::authentication::ClientCredentials;
use crate::client::authorization::with_query;
use crate::client::error::AuthStep;
use crate::client::exchange::CredentialHttp;
use crate::client::issuer_settings::STRICT;
use crate::client::token_request::IssuerClient;
use crate::client::token_response::TokenResponse;
use crate::jwt::{AccessTokenRules, Claims, JwkSet, Jws, TokenError};
use crate::limits::proxy::{ACCESS_LIFETIME, PROVIDER_TIMEOUT};
use crate::metadata::AuthorizationServerMetadata;
use crate::server::VerifyError;
use crate::server::discovery::Discovery;
use crate::server::keys::{KeySource, Keys};
use crate::util::{hash_text, random_text, unix_now};

/// Error codes that mean that a refresh token will never work again. The second one is used by
/// GitHub ("Refreshing user access tokens").
const FINAL: [&str; 2] = ["invalid_grant", "bad_refresh_token"];

/// Claims that describe the provider's token rather than the person.
const OF_TOKEN: &str = "aud azp exp nbf iat jti nonce at_hash c_hash scope scp cnf client_id";

pub(super) struct Upstream {
    pub(super) provider: Provider,
    redirect_uri: String,
    http: CredentialHttp,
    discovery: Arc<Discovery>,
    keys: Arc<Keys>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) state: String,
    nonce: Option<String>,
    verifier: String,
}

/// The provider's tokens for a person, and the claims about the person.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Granted {
    access: String,
    refresh: Option<String>,
    /// In seconds since 1970, if the provider reports the lifetime.
    expires_at: Option<u64>,
    /// Claims, including `sub`.
    pub(super) person: Map<String, Value>,
}

impl Upstream {
    pub(super) fn new(provider: Provider, redirect_uri: String, http: AuthHttp) -> Self {
        let mut discovery = Discovery::new(&provider.issuer, http.clone());
        discovery.fixed = provider.metadata.clone().map(Arc::new);
        let discovery = Arc::new(discovery);
        Self {
            keys: Keys::new(Arc::clone(&discovery), KeySource::Discovery),
            provider,
            redirect_uri,
            http: CredentialHttp::new(http, false),
            discovery,
        }
    }

    /// Starts a login. Returns the URL to redirect the browser to, and the data needed to finish
    /// the login.
    pub(super) async fn begin(&self) -> OAuthResult<(String, Begun)> {
        let metadata = timeout(PROVIDER_TIMEOUT, self.discovery.metadata()).await??;
        let url = metadata.authorization_endpoint.as_deref();
        let url = self.discovery.endpoint("authorization_endpoint", url)?;
        let provider = &self.provider;
        let begun = Begun {
            state: random_text()?,
            nonce: provider.has_nonce.then(random_text).transpose()?,
            verifier: random_text()?,
        };
        let scope = provider.scopes.join(" ");
        let challenge = hash_text(&begun.verifier);
        let mut parameters = vec![
            ("response_type", "code"),
            ("client_id", &provider.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("scope", &scope),
            ("state", &begun.state),
            ("nonce", begun.nonce.as_deref().unwrap_or_default()),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        for (name, value) in &provider.parameters {
            if !parameters.iter().any(|(own, _)| own == name) {
                parameters.push((name, value));
            }
        }
        parameters.retain(|(_, value)| !value.is_empty());
        Ok((with_query(url, parameters), begun))
    }

    /// Checks `iss` of the provider's response (RFC 9207 §2.4). The response of a different issuer
    /// is not redeemed.
    pub(super) async fn check_issuer(&self, iss: Option<&str>) -> OAuthResult<()> {
        let metadata = self.discovery.metadata().await?;
        let is_provider = match iss {
            Some(iss) => iss == self.provider.issuer,
            None => metadata.authorization_response_iss_parameter_supported != Some(true),
        };
        if !is_provider {
            mcp_runtime::log::warn!(
                "the response of a login came from another issuer than the provider"
            );
        }
        OAuthError::new("server_error", "the response came from another provider")
            .unless(is_provider)
    }

    pub(super) async fn redeem(&self, code: &str, begun: &Begun) -> OAuthResult<Granted> {
        let parameters = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.to_owned()),
            ("redirect_uri", self.redirect_uri.clone()),
            ("code_verifier", begun.verifier.clone()),
        ];
        let mut granted = Granted::default();
        let id_token = self.tokens(parameters, &mut granted).await?;
        let nonce = begun.nonce.as_deref();
        self.identify(&mut granted, id_token, nonce).await?;
        let error = || OAuthError::internal("it sent no ID token: request the scope `openid`");
        (!granted.person.is_empty())
            .then_some(granted)
            .ok_or_else(error)
    }

    /// Checks that the person still has access. First refreshes tokens that would expire before a
    /// new access token of the proxy.
    pub(super) async fn renew(&self, granted: &mut Granted) -> OAuthResult<()> {
        let renewed = async {
            let left = granted.seconds_left();
            let mut id_token = None;
            if let Some(refresh) = granted.refresh.clone().filter(|_| left <= ACCESS_LIFETIME) {
                let grant = ("grant_type", "refresh_token".to_owned());
                id_token = self
                    .tokens(vec![grant, ("refresh_token", refresh)], granted)
                    .await?;
            } else if left == 0 {
                let text = "its access token has expired, and there is no refresh token";
                return Err(OAuthError::ended(text));
            }
            self.identify(granted, id_token, None).await
        };
        timeout(PROVIDER_TIMEOUT, renewed).await?
    }

    /// Requests tokens, and returns the ID token. If there is no new refresh token, the previous
    /// one is kept.
    async fn tokens(
        &self,
        parameters: Vec<(&'static str, String)>,
        granted: &mut Granted,
    ) -> OAuthResult<Option<String>> {
        let metadata: &AuthorizationServerMetadata = &*self.discovery.metadata().await?;
        let offered = metadata.token_endpoint_auth_methods_supported.as_deref();
        let authentication = self.provider.credential.authentication(offered);
        let error = || OAuthError::internal("it does not accept a secret");
        let issuer = IssuerClient {
            http: &self.http,
            metadata,
            client: &ClientCredentials {
                client_id: self.provider.client_id.clone(),
                authentication: authentication.ok_or_else(error)?,
            },
            settings: &STRICT,
            proving: None,
        };
        let posted = issuer.post(AuthStep::Token, parameters).await;
        let response = posted.map_err(|error| match error.code() {
            Some(code) if FINAL.contains(&code) => OAuthError::ended(error),
            _ => OAuthError::internal(error),
        })?;
        let answer = TokenResponse::parse(response.body()).map_err(OAuthError::internal)?;
        let now = unix_now();
        granted.access = answer.access_token;
        granted.refresh = answer.refresh_token.or(granted.refresh.take());
        granted.expires_at = answer.expires_in.map(|seconds| now.saturating_add(seconds));
        let all: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        Ok(all["id_token"].as_str().map(str::to_owned))
    }

    /// Determines the person that the tokens belong to. Without an ID token and a verifier, the known person
    /// is kept.
    async fn identify(
        &self,
        granted: &mut Granted,
        id_token: Option<String>,
        nonce: Option<&str>,
    ) -> OAuthResult<()> {
        let claims = match (&self.provider.verifier, id_token) {
            (None, None) => return Ok(()),
            (None, Some(token)) => {
                let unavailable = |_| OAuthError::internal("its keys can't be fetched");
                let fetched = self.keys.get().await.map_err(unavailable)?;
                let mut claims = self.verified(&token, nonce, &fetched.set);
                if matches!(claims, Err(TokenError::UnknownKey)) {
                    let newer = self.keys.after_unknown_key(fetched.generation).await;
                    claims = self.verified(&token, nonce, &newer.map_err(unavailable)?.set);
                }
                claims.map_err(OAuthError::ended)?
            }
            (Some(verifier), _) => match verifier.verify(&granted.access).await {
                Ok(claims) => claims,
                Err(VerifyError::Invalid(text)) => return Err(OAuthError::ended(text)),
                Err(error) => return Err(error.into()),
            },
        };
        let mut person = claims.members().clone();
        person.retain(|name, _| OF_TOKEN.split(' ').all(|it| it != name));
        let subject = person.get("sub").filter(|it| it.is_string() && **it != "");
        let before = granted.person.get("sub").or(subject);
        if subject.is_none() || before != subject {
            let text = "its claims have no subject, or a different one than before";
            return Err(OAuthError::ended(text));
        }
        granted.person = person;
        Ok(())
    }

    /// Verifies an ID token (OpenID Connect Core 1.0 §3.1.3.7). A refresh has no nonce.
    fn verified(
        &self,
        jwt: &str,
        nonce: Option<&str>,
        keys: &JwkSet,
    ) -> Result<Claims, TokenError> {
        let client_id = &self.provider.client_id;
        let jws = Jws::parse(jwt)?;
        if jws.header().is_of_type("at+jwt") {
            return Err(TokenError::Type);
        }
        let claims = Claims::parse(&jws.verify(keys)?, "aud")?;
        let rules = AccessTokenRules::new(&self.provider.issuer, client_id);
        rules.check(&claims, SystemTime::now())?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let authorized = text("azp").map(|azp| azp == client_id);
        if !authorized.unwrap_or(claims.audience().len() == 1) {
            return Err(TokenError::Audience);
        }
        let is_of_login = nonce.is_none_or(|nonce| text("nonce") == Some(nonce));
        let error = TokenError::InvalidClaim("nonce");
        is_of_login.then_some(claims).ok_or(error)
    }
}

impl Granted {
    /// The remaining lifetime of the access token, in seconds.
    fn seconds_left(&self) -> u64 {
        let now = unix_now();
        let left = self.expires_at.map(|end| end.saturating_sub(now));
        left.unwrap_or(u64::MAX)
    }

    /// The lifetime of the proxy's next access token, in seconds. It does not exceed the remaining
    /// lifetime of the provider's token, unless that token can be refreshed.
    pub(super) fn access_lifetime(&self) -> u64 {
        match self.refresh {
            Some(_) => ACCESS_LIFETIME,
            None => self.seconds_left().min(ACCESS_LIFETIME),
        }
    }
}
