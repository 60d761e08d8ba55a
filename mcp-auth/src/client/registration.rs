//! Registration of the client at an issuer.

use std::fmt;
use std::sync::Once;

use http::header::HeaderMap;
use iri_string::types::UriStr;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::config::Config;
use super::discovery::Discovery;
use super::error::{AuthError, AuthErrorKind, AuthStep, one_line};
use super::exchange::CredentialHttp;
use super::scopes::Scopes;
use crate::authentication::{ClientAuthentication, ClientCredential, ClientCredentials};
use crate::metadata::AuthorizationServerMetadata;
use crate::util::unix_now;

/// How a client gets its identifier at an issuer, in the order in which the ways are tried
/// (2026-07-28, "Client Registration").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistrationWay {
    /// The user has set an identifier that the issuer knows.
    PreRegistered,
    /// The URL of the client's metadata is its identifier.
    MetadataDocument,
    /// The client registers itself (RFC 7591).
    Dynamic,
}

/// The result of a dynamic registration (RFC 7591 §3.2.1), plus the request fields needed to use
/// it. `Debug` shows no secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub(crate) client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    /// In seconds since 1970; 0 means that the secret never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret_expires_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_endpoint_auth_method: Option<String>,
    #[serde(default)]
    pub(crate) redirect_uri: String,
    #[serde(default)]
    requested_scope: Scopes,
}

/// The parts of a login that a dynamic registration depends on.
#[derive(Clone, Copy)]
pub(crate) struct RegistrationRequest<'a> {
    pub(crate) config: &'a Config,
    pub(crate) discovery: &'a Discovery,
    pub(crate) redirect_uri: &'a str,
    pub(crate) scopes: &'a Scopes,
}

impl RegistrationWay {
    /// Chooses how to register at an issuer. Returns `None` if no way is possible.
    pub(crate) fn choose(config: &Config, issuer: &AuthorizationServerMetadata) -> Option<Self> {
        let takes_documents = issuer.client_id_metadata_document_supported == Some(true);
        if config.client_id.is_some() {
            Some(Self::PreRegistered)
        } else if config.client_metadata_url.is_some() && takes_documents {
            Some(Self::MetadataDocument)
        } else if issuer.registration_endpoint.is_some() {
            Some(Self::Dynamic)
        } else {
            None
        }
    }
}

impl Registration {
    pub(crate) fn credentials(&self) -> ClientCredentials {
        let method = self.token_endpoint_auth_method.as_deref();
        let authentication = match (self.client_secret.clone(), method) {
            (Some(secret), Some("client_secret_basic")) => ClientAuthentication::Basic(secret),
            (Some(secret), Some("client_secret_post")) => ClientAuthentication::Post(secret),
            // Any other method is treated as a public client.
            _ => ClientAuthentication::None,
        };
        ClientCredentials {
            client_id: self.client_id.clone(),
            authentication,
        }
    }

    /// Returns true if the client registered for all of `scopes`, or without naming scopes.
    pub(crate) fn covers(&self, scopes: &Scopes) -> bool {
        self.requested_scope.is_empty() || self.requested_scope.contains_all(scopes)
    }

    /// Returns true if the registration is valid for this redirect URI and has not expired.
    fn serves(&self, request: &RegistrationRequest<'_>) -> bool {
        let expires = self.client_secret_expires_at.filter(|it| *it != 0);
        let is_expired = expires.is_some_and(|it| it <= unix_now());
        !is_expired && self.redirect_uri == request.redirect_uri
    }
}

impl RegistrationRequest<'_> {
    /// Returns the client's credentials at the issuer, and the dynamic registration that they came
    /// from, if any. `kept` is the stored result of an earlier dynamic registration.
    pub(crate) async fn credentials(
        &self,
        http: &CredentialHttp,
        kept: Option<Registration>,
    ) -> Result<(ClientCredentials, Option<Registration>), AuthError> {
        let config = self.config;
        let issuer = &self.discovery.issuer;
        let error = |cause| AuthError::new(AuthStep::Registration, &issuer.issuer, cause);
        match RegistrationWay::choose(config, issuer) {
            Some(RegistrationWay::PreRegistered) => Ok((config.pre_registered(issuer)?, None)),
            Some(RegistrationWay::MetadataDocument) => Ok((config.by_document(issuer)?, None)),
            Some(RegistrationWay::Dynamic) => {
                let kept = kept.filter(|kept| kept.serves(self));
                let registration = match kept {
                    Some(kept) => kept,
                    None => self.register(http).await?,
                };
                Ok((registration.credentials(), Some(registration)))
            }
            None => Err(error(AuthErrorKind::NoRegistration)),
        }
    }

    /// Registers the client (RFC 7591 §3.1).
    async fn register(&self, http: &CredentialHttp) -> Result<Registration, AuthError> {
        let exchange = http.exchange(AuthStep::Registration);
        let issuer = &self.discovery.issuer;
        let endpoint = issuer.registration_endpoint.as_deref().unwrap_or_default();
        let (body, scope) = self.metadata();
        let body = body.to_string();
        let headers = HeaderMap::new();
        let response = exchange
            .post(endpoint, "application/json", headers, body, |_| ())
            .await?;
        static WARNED: Once = Once::new();
        WARNED.call_once(|| {
            tracing::warn!(
                "dynamic client registration is deprecated since 2026-07-28 (pull request 2858), and \
                 may be removed from 2027-07-28 on: use a client ID metadata document, or register \
                 the client with the issuer"
            );
        });
        let malformed = || {
            let reason = "it is not a JSON object with a `client_id`".to_owned();
            exchange.error(endpoint, AuthErrorKind::Malformed(reason))
        };
        let mut registration: Registration =
            serde_json::from_slice(response.body()).map_err(|_| malformed())?;
        let method = registration.token_endpoint_auth_method.take();
        let method = method.unwrap_or_else(|| auth_method(issuer).to_owned());
        if !AUTH_METHODS.contains(&&*method) {
            let method = one_line(&method);
            let reason = format!(
                "it requires the client to authenticate by `{method}`, which is not supported"
            );
            return Err(exchange.error(endpoint, AuthErrorKind::Malformed(reason)));
        }
        registration.token_endpoint_auth_method = Some(method);
        registration.redirect_uri = self.redirect_uri.to_owned();
        registration.requested_scope = scope;
        tracing::debug!(issuer = issuer.issuer, "registered the client");
        Ok(registration)
    }

    fn metadata(&self) -> (serde_json::Value, Scopes) {
        let issuer = &self.discovery.issuer;
        let mut grants = vec!["authorization_code"];
        let offered = issuer.grant_types_supported.as_deref();
        if offered.is_none_or(|all| all.iter().any(|it| it == "refresh_token")) {
            grants.push("refresh_token");
        }
        // Also register the scopes that later logins may request, unless the issuer does not know
        // all of them: it would then refuse the registration.
        let scopes = self.scopes.clone();
        let scopes = scopes.union(&self.discovery.scopes_supported());
        let known = issuer.scopes_supported.as_ref();
        let known = known.map(|it| it.iter().collect::<Scopes>());
        let scopes = if known.is_none_or(|known| known.contains_all(&scopes)) {
            scopes
        } else {
            Scopes::default()
        };
        let mut metadata = json!({
            "client_name": self.config.name,
            "application_type": "native",
            "redirect_uris": [self.redirect_uri],
            "grant_types": grants,
            "response_types": ["code"],
            "token_endpoint_auth_method": auth_method(issuer),
        });
        if let Some(scope) = scopes.parameter() {
            metadata["scope"] = scope.into();
        }
        (metadata, scopes)
    }
}

/// Authentication methods of a client that registers itself, in order of preference.
const AUTH_METHODS: [&str; 3] = ["none", "client_secret_basic", "client_secret_post"];

/// Chooses how a client that registers itself authenticates. `none` is preferred, because a secret
/// on a person's machine is not confidential.
fn auth_method(issuer: &AuthorizationServerMetadata) -> &'static str {
    let offered = issuer.token_endpoint_auth_methods_supported.as_deref();
    // There may be no metadata, or the metadata may omit the field.
    let offered = offered.unwrap_or_default();
    let mut known = AUTH_METHODS.into_iter();
    let found = known.find(|known| offered.iter().any(|it| it == known));
    found.unwrap_or("none")
}

impl Config {
    /// The credentials that the user has set. They are valid only at the issuer that the user has
    /// set.
    pub(crate) fn pre_registered(
        &self,
        issuer: &AuthorizationServerMetadata,
    ) -> Result<ClientCredentials, AuthError> {
        let error = |cause| AuthError::new(AuthStep::Registration, &issuer.issuer, cause);
        if !self.has_issuer(&issuer.issuer) {
            return Err(error(AuthErrorKind::ClientWithoutIssuer));
        }
        let credential = match (self.client_key.clone(), self.client_secret.clone()) {
            (Some(key), _) => key.into(),
            (None, Some(secret)) => secret.into(),
            (None, None) => ClientCredential::None,
        };
        let offered = issuer.token_endpoint_auth_methods_supported.as_deref();
        let authentication = credential.authentication(offered);
        let authentication = authentication.ok_or_else(|| error(AuthErrorKind::SecretNotTaken))?;
        Ok(ClientCredentials {
            client_id: self.client_id.clone().unwrap_or_default(),
            authentication,
        })
    }

    /// The client that is identified by its metadata URL, which must be `https` with a path.
    pub(crate) fn by_document(
        &self,
        issuer: &AuthorizationServerMetadata,
    ) -> Result<ClientCredentials, AuthError> {
        let url = self.client_metadata_url.as_deref().unwrap_or_default();
        let uri = UriStr::new(url).ok();
        let is_valid = uri.is_some_and(|uri| {
            let has_path = !matches!(uri.path_str(), "" | "/");
            uri.scheme_str() == "https" && has_path && uri.fragment().is_none()
        });
        if !is_valid {
            let cause = AuthErrorKind::ClientMetadataUrl;
            return Err(AuthError::new(
                AuthStep::Registration,
                &issuer.issuer,
                cause,
            ));
        }
        let key = self.client_key.clone();
        Ok(ClientCredentials {
            client_id: url.to_owned(),
            authentication: key.map_or(
                ClientAuthentication::None,
                ClientAuthentication::PrivateKeyJwt,
            ),
        })
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
