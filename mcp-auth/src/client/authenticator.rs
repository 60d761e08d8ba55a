//! [`OAuth`] as an [`Authenticator`] of HTTP clients.

use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap};
use mcp_runtime::BoxFuture;
use mcp_runtime::transport::PrincipalChanges;
use mcp_runtime::transport::http_client::{
    AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo,
};

use super::dpop::{DPOP, nonce_of};
use super::error::{AuthError, AuthErrorKind, AuthStep, refusal};
use super::oauth::OAuth;
use super::renewal::Demand;
use super::session::Session;
use crate::challenge;

impl Authenticator for OAuth {
    fn credentials(
        &self,
        request: RequestInfo,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<HeaderMap>> {
        let oauth = self.clone();
        Box::pin(async move { Ok(oauth.headers(&request, http).await?) })
    }

    fn challenged(
        &self,
        request: RequestInfo,
        challenge: Challenge,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        let oauth = self.clone();
        Box::pin(async move { Ok(oauth.renew(&request, &challenge, http).await?) })
    }

    fn observe(&self, request: &RequestInfo, status: StatusCode, headers: &HeaderMap) {
        self.nonces.observe(&request.url, headers);
        let session = self.known_session(&request.server.to_string());
        let token = session.and_then(|session| session.token());
        if let Some(token) = token.filter(|_| status.is_success()) {
            token.accepted();
        }
    }

    fn principal(&self) -> PrincipalChanges {
        self.principal.clone()
    }

    fn extensions(&self) -> Vec<String> {
        let extension = self.config.grant.extension();
        extension.map(str::to_owned).into_iter().collect()
    }
}

impl OAuth {
    /// Returns the headers of a request, after loading or refreshing the token if needed.
    async fn headers(&self, request: &RequestInfo, http: AuthHttp) -> Result<HeaderMap, AuthError> {
        let server = request.server.to_string();
        if !self.is_allowed(&server) {
            return Ok(HeaderMap::new());
        }
        let session = self.session(&server, http.clone());
        if !session.is_loaded() {
            let renewal = self.renewal(&session, http.clone());
            let is_done = |session: &Session| session.is_loaded().then_some(());
            session.once(is_done, || renewal.load()).await?;
        }
        let is_unattended = self.config.grant.is_unattended();
        if session.needs_refresh(is_unattended) {
            let renewal = self.renewal(&session, http);
            let is_done = |session: &Session| (!session.needs_refresh(is_unattended)).then_some(());
            session.once(is_done, || renewal.refresh_early()).await?;
        }
        let Some(token) = session.token() else {
            return Ok(HeaderMap::new());
        };
        let tokens = &token.tokens;
        let authorization = tokens.token_type.authorization(&tokens.access_token);
        let mut headers: HeaderMap = authorization
            .map(|value| (AUTHORIZATION, value))
            .into_iter()
            .collect();
        if let Some(key) = &tokens.key {
            let token = Some(tokens.access_token.as_str());
            let proof = key.header(&request.method, &request.url, &self.nonces, token);
            let error = |error| {
                let cause = AuthErrorKind::SigningKey(error);
                AuthError::new(AuthStep::Access, &session.server, cause)
            };
            headers.insert(DPOP, proof.map_err(error)?);
        }
        Ok(headers)
    }

    /// Returns true if the server rejected a proof only because it lacked a nonce that is known now
    /// (RFC 9449 §9). The token itself is still good.
    fn lacks_nonce(&self, request: &RequestInfo, challenge: &Challenge) -> bool {
        self.nonces.observe(&request.url, &challenge.headers);
        let all = challenge::Challenge::from_headers(&challenge.headers);
        let is_asked = all.iter().any(|it| it.error() == Some("use_dpop_nonce"));
        let sent = challenge.sent.get(DPOP);
        let is_other = |proof| nonce_of(proof) != self.nonces.get(&request.url);
        is_asked && sent.is_some_and(is_other)
    }

    /// Renews the token after a challenge, unless it was already renewed since the request was
    /// sent.
    async fn renew(
        &self,
        request: &RequestInfo,
        challenge: &Challenge,
        http: AuthHttp,
    ) -> Result<AfterChallenge, AuthError> {
        let server = request.server.to_string();
        let session = self.session(&server, http.clone());
        if self.lacks_nonce(request, challenge) {
            return Ok(AfterChallenge::SendAgain);
        }
        let Some(demand) = demand(challenge) else {
            return Ok(AfterChallenge::GiveUp);
        };
        if !self.is_allowed(&server) {
            let cause = AuthErrorKind::InsecureServer;
            return Err(AuthError::new(AuthStep::Access, &server, cause));
        }
        let sent = challenge.sent.get(AUTHORIZATION).cloned();
        let is_done = |session: &Session| {
            let is_renewed = session.authorization() != sent;
            is_renewed.then_some(AfterChallenge::SendAgain)
        };
        let renewal = self.renewal(&session, http);
        if challenge.status == StatusCode::UNAUTHORIZED {
            let work = || renewal.after_unauthorized(demand);
            return session.once(is_done, work).await;
        }
        // A 403 means that the server understood the token.
        if let Some(token) = session.token().filter(|_| is_done(&session).is_none()) {
            token.accepted();
        }
        session.once(is_done, || renewal.step_up(demand)).await
    }
}

/// Returns the demand of the server, or `None` if the challenge is not an OAuth challenge or a 403 is
/// not about scopes. A 401 without any challenge is a demand for a token (2025-03-26).
fn demand(challenge: &Challenge) -> Option<Demand> {
    let all = challenge::Challenge::from_headers(&challenge.headers);
    let is_ours = |it: &&challenge::Challenge| {
        it.is("Bearer") || it.is("DPoP") || it.resource_metadata().is_some()
    };
    let mut ours = all.iter().filter(is_ours);
    let found = if challenge.status == StatusCode::UNAUTHORIZED {
        if all.is_empty() {
            return Some(Demand::default());
        }
        ours.next()?
    } else {
        ours.find(|it| it.error() == Some("insufficient_scope"))?
    };
    let reason = found
        .error()
        .map(|code| refusal(code, found.error_description()));
    Some(Demand {
        announced: found.resource_metadata().map(str::to_owned),
        scopes: found.scope().unwrap_or_default().into(),
        reason,
        bearer: all.iter().any(|it| it.is("Bearer")),
        dpop: all.iter().any(|it| it.is("DPoP")),
    })
}
