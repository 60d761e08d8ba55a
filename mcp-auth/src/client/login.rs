//! The login of a person with the authorization code grant and PKCE (OAuth 2.1 §4.1).

use std::future::pending;
use std::sync::Arc;

use tokio::time::timeout;

use super::authorization::{AuthorizationCode, AuthorizationRequest, PendingAuthorization};
use super::discovery::Discovery;
use super::error::{AuthError, AuthErrorKind, AuthStep};
use super::redirect::{RedirectReceiver, receive};
use super::registration::{Registration, RegistrationRequest};
use super::token_grant::TokenGrant;
use super::token_request::IssuerClient;
use super::token_set::{TokenSet, load, registration_key, save, stored};

impl TokenGrant<'_> {
    /// Lets the person log in and returns the tokens. If the issuer has forgotten a dynamically
    /// registered client, the client is registered again once.
    pub(super) async fn log_in(&self) -> Result<TokenSet, AuthError> {
        let covers = |it: &Registration| it.covers(&self.scopes);
        match self.attempt().await {
            Err(error) if error.code() == Some("invalid_client") => {
                if self.forget_registration(|_| true).await? {
                    self.attempt().await
                } else {
                    Err(error)
                }
            }
            // The client registered for fewer scopes, and this issuer enforces that.
            Err(error) if error.code() == Some("invalid_scope") => {
                if self.forget_registration(|it| !covers(it)).await? {
                    self.attempt().await
                } else {
                    Err(error)
                }
            }
            // An issuer that does not know the client shows the error only to the person, so it
            // looks like a timeout.
            Err(error) if matches!(error.kind(), AuthErrorKind::Timeout(_)) => {
                self.forget_registration(|_| true).await?;
                Err(error)
            }
            outcome => outcome,
        }
    }

    async fn attempt(&self) -> Result<TokenSet, AuthError> {
        let issuer = &self.discovery.issuer;
        if issuer.token_endpoint.is_none() {
            let cause = AuthErrorKind::NoEndpoint("token_endpoint");
            return Err(AuthError::new(AuthStep::Login, &issuer.issuer, cause));
        }
        let key = registration_key(&issuer.issuer);
        let store = &*self.config.store;
        let kept: Option<Registration> = load(store, &key).await?;
        let registered = kept.as_ref().map(|kept| &*kept.redirect_uri);
        let redirect = self.config.redirect();
        let redirect = redirect.map_err(|error| self.error(error))?;
        let receiver = redirect.listen(registered).await;
        let receiver = receiver.map_err(|error| self.error(AuthErrorKind::Redirection(error)))?;
        let redirect_uri = receiver.uri().to_owned();
        let request = RegistrationRequest {
            config: self.config,
            discovery: self.discovery,
            redirect_uri: &redirect_uri,
            scopes: &self.scopes,
        };
        let credentials = request.credentials(self.http, kept.clone()).await;
        let (client, registration) = credentials.map_err(|error| {
            if self.discovery.is_default {
                error.of_assumed_issuer()
            } else {
                error
            }
        })?;
        if registration.is_some() && registration != kept {
            save(store, &key, &registration, None).await?;
        }
        let issuer = self.issuer(&client);
        let (code, pending) = self.code(&issuer, receiver).await?;
        let parameters = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.0),
            ("redirect_uri", redirect_uri),
            ("code_verifier", pending.verifier.clone()),
            ("resource", self.discovery.resource.resource.clone()),
        ];
        let response = issuer.token(AuthStep::Token, parameters).await?;
        Ok(self.tokens(response, client, registration))
    }

    /// Opens the login page and waits for the code.
    async fn code(
        &self,
        issuer: &IssuerClient<'_>,
        receiver: Box<dyn RedirectReceiver>,
    ) -> Result<(AuthorizationCode, Arc<PendingAuthorization>), AuthError> {
        let scope = self.scopes.parameter();
        let settings = issuer.settings;
        let template = settings.template().map_err(|error| self.error(error))?;
        let request = AuthorizationRequest {
            metadata: &self.discovery.issuer,
            client_id: &issuer.client.client_id,
            redirect_uri: receiver.uri(),
            resource: Some(&*self.discovery.resource.resource).filter(|_| !settings.omits_resource),
            scope: scope.as_deref(),
            extra: &settings.authorization_parameters,
            template: template.as_ref(),
        };
        let pending = request.start();
        let pending = pending.map_err(|error| self.error(AuthErrorKind::Request(error)))?;
        let url = match issuer.push(&pending).await? {
            Some(request_uri) => pending.pushed_url(&request_uri),
            None => pending.url.clone(),
        };
        self.http.exchange(AuthStep::Login).checked(&url)?;
        // Processes that wait for this login show its page.
        let keys = self.config.keys();
        let key = keys.login(&pending.issuer, &self.discovery.resource.resource);
        let ttl = Some(self.config.login_timeout);
        save(&*self.config.store, &key, &url, ttl).await?;
        self.session.show_login(Some(url.clone()));
        let pending = Arc::new(pending);
        let expected = Arc::clone(&pending);
        let received = receive(receiver, move |query| expected.response(query));
        tracing::debug!(
            issuer = pending.issuer,
            "waiting for a login in the browser"
        );
        let limit = self.config.login_timeout;
        let waited = timeout(limit, async {
            tokio::select! {
                biased;
                received = received => received.map_err(AuthErrorKind::Redirection),
                error = self.open(url) => Err(AuthErrorKind::Opener(error)),
            }
        });
        let received = waited.await.unwrap_or(Err(AuthErrorKind::Timeout(limit)));
        let code = received.and_then(|response| response.map_err(AuthErrorKind::Response));
        Ok((code.map_err(|cause| self.error(cause))?, pending))
    }

    /// Opens the login page. Returns only if opening it fails.
    async fn open(&self, url: String) -> std::io::Error {
        match (self.config.opener)(url).await {
            Ok(()) => pending().await,
            Err(error) => error,
        }
    }

    /// Removes the stored registration if `is_due`. Returns true if it was removed.
    async fn forget_registration(
        &self,
        is_due: impl Fn(&Registration) -> bool,
    ) -> Result<bool, AuthError> {
        let key = registration_key(&self.discovery.issuer.issuer);
        let store = &*self.config.store;
        let found: Option<Registration> = load(store, &key).await?;
        let is_due = found.is_some_and(|found| is_due(&found));
        if is_due {
            stored(store.remove(&key)).await?;
        }
        Ok(is_due)
    }

    fn error(&self, cause: AuthErrorKind) -> AuthError {
        login_error(self.discovery, cause)
    }
}

pub(super) fn login_error(discovery: &Discovery, cause: AuthErrorKind) -> AuthError {
    let issuer = &discovery.issuer;
    let endpoint = issuer.authorization_endpoint.as_deref();
    let url = endpoint.unwrap_or(&issuer.issuer);
    AuthError::new(AuthStep::Login, url, cause)
}
