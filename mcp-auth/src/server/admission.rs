//! Admission of requests by their tokens.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::HeaderMap;
use http::request::Parts;
use mcp_runtime::transport::http::{
    AccessDenied, AccessExpires, AccessRevalidation, ResponseHeaders,
};

use super::credentials::{Credentials, Scheme};
use super::dpop::{Proofs, ProvenRequest};
use super::refusal::{Answers, DPOP_NONCE, Refusal, with_nonce};
use super::token_cache::{SentToken, TokenHash};
use super::verification::{Verification, VerifiedToken};

pub(super) struct Admission {
    pub(super) verification: Verification,
    pub(super) proofs: Proofs,
    pub(super) answers: Arc<Answers>,
    pub(super) scopes: Vec<String>,
    /// The metadata of the resource, and the paths where it is served.
    pub(super) document: Bytes,
    pub(super) paths: Vec<String>,
}

impl Admission {
    /// Admits a request. Removes its credentials, and adds what is known about the caller to its
    /// extensions.
    pub(super) async fn admit(self: &Arc<Self>, request: &mut Parts) -> Result<(), AccessDenied> {
        let credentials = Credentials::take(request);
        let credentials = match credentials {
            Ok(credentials) => credentials,
            Err(refusal) => return Err(self.denied(&refusal, Scheme::Bearer).await),
        };
        let now = SystemTime::now();
        match self.decide(&credentials, request, now).await {
            Ok(token) => {
                self.grant(request, &token, now).await;
                let revalidation = self.revalidation(credentials, token);
                request.extensions.insert(revalidation);
                Ok(())
            }
            Err(refusal) => Err(self.denied(&refusal, credentials.scheme).await),
        }
    }

    async fn decide(
        &self,
        credentials: &Credentials,
        request: &Parts,
        now: SystemTime,
    ) -> Result<Arc<VerifiedToken>, Refusal> {
        let (token, hash) = self.verify(credentials, now).await?;
        match (credentials.scheme, token.claims.key_thumbprint()) {
            (Scheme::Bearer, Some(_)) => {
                let text = "the token is bound to a key: send it with the scheme `DPoP`";
                return Err(Refusal::Token(text.into()));
            }
            (Scheme::Bearer, None) if self.answers.dpop_required => {
                let text = "only tokens that are bound to a key by DPoP are accepted";
                return Err(Refusal::Token(text.into()));
            }
            (Scheme::Bearer, None) => {}
            (Scheme::Dpop, None) => {
                let text = "the token is not bound to a key: send it with the scheme `Bearer`";
                return Err(Refusal::Token(text.into()));
            }
            (Scheme::Dpop, Some(thumbprint)) => {
                let request = ProvenRequest {
                    method: &request.method,
                    path: request.uri.path(),
                    token_hash: &hash,
                    thumbprint,
                    now,
                };
                self.proofs.check(&credentials.proofs, &request).await?;
            }
        }
        if self.scopes.iter().any(|it| !token.scopes.contains(it)) {
            let granted = token.claims.scopes();
            self.verification.log.lacks_scopes(granted, &self.scopes);
            return Err(Refusal::Scopes(Vec::new()));
        }
        Ok(token)
    }

    /// Verifies only the token, without its proof and scopes.
    async fn verify(
        &self,
        credentials: &Credentials,
        now: SystemTime,
    ) -> Result<(Arc<VerifiedToken>, TokenHash), Refusal> {
        let token = SentToken::new(credentials.checked_token()?, now);
        let verified = self.verification.verify(token).await?;
        Ok((verified, token.hash))
    }

    /// Creates the periodic check of a token with open streams. A proof of possession is valid only
    /// for the request that opened the streams, so the check does not ask for one.
    fn revalidation(
        self: &Arc<Self>,
        credentials: Credentials,
        token: Arc<VerifiedToken>,
    ) -> AccessRevalidation {
        let at = token.lapses_at().into_std();
        let admitted = Arc::new((Arc::clone(self), credentials, token));
        AccessRevalidation::new(at, move || {
            let admitted = Arc::clone(&admitted);
            async move {
                let (admission, credentials, token) = &*admitted;
                let verified = admission.verify(credentials, SystemTime::now()).await;
                let verified = verified.and_then(|(verified, _)| {
                    if verified.covers(token) {
                        Ok(verified.lapses_at().into_std())
                    } else {
                        Err(Refusal::Token("the token grants less than before".into()))
                    }
                });
                match verified {
                    Ok(lapses_at) => Ok(lapses_at),
                    Err(refusal) => Err(admission.denied(&refusal, credentials.scheme).await),
                }
            }
        })
    }

    async fn grant(&self, request: &mut Parts, token: &VerifiedToken, now: SystemTime) {
        let expires = token.claims.expires_at();
        // The clocks may differ: a token that expired within the leeway keeps its streams until the
        // leeway ends.
        let expires = if now < expires { expires } else { token.end };
        let extensions = &mut request.extensions;
        extensions.insert(token.claims.clone());
        extensions.insert(token.principal.clone());
        extensions.insert(token.scope_check.clone());
        extensions.insert(AccessExpires(expires));
        if token.claims.key_thumbprint().is_some()
            && let Some(nonce) = self.proofs.nonce().await
        {
            let headers = HeaderMap::from_iter([(DPOP_NONCE, nonce)]);
            extensions.insert(ResponseHeaders(headers));
        }
    }

    async fn denied(&self, refusal: &Refusal, scheme: Scheme) -> AccessDenied {
        tracing::debug!(?refusal, "a request is not admitted");
        let scheme = match refusal {
            Refusal::Proof(_) | Refusal::Nonce => Scheme::Dpop,
            _ => scheme,
        };
        // Without the store there is no nonce, and asking again would delay the response.
        let nonce = match refusal {
            Refusal::Unavailable(_) => None,
            _ => self.proofs.nonce().await,
        };
        with_nonce(self.answers.answer(refusal, scheme), nonce)
    }

    pub(super) fn document(&self, path: &str) -> Option<Bytes> {
        let mut paths = self.paths.iter();
        paths.any(|it| it == path).then(|| self.document.clone())
    }
}
