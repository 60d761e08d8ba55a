//! The credentials of requests to one server: where they come from, and what follows a challenge.

use std::error::Error;
use std::fmt;
use std::future::ready;
use std::pin::pin;
use std::sync::Arc;

use http::header::{HeaderMap, WWW_AUTHENTICATE};
use http::{Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpInfo;

use super::authenticator::{
    AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo,
};
use super::body::no_message;
use super::outgoing::Outgoing;
use super::remote::{Remote, RemoteEvent};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::limits::MAX_CHALLENGES;

type HeaderProvider = dyn Fn(RequestInfo) -> BoxFuture<AuthResult<HeaderMap>> + Send + Sync;

/// The sources of credentials as the user has set them.
#[derive(Clone, Default)]
pub(super) struct CredentialSources {
    pub(super) provider: Option<Arc<HeaderProvider>>,
    pub(super) authenticator: Option<Arc<dyn Authenticator>>,
    /// Hosts that the authenticator may reach at addresses that are not public.
    pub(super) private_hosts: Vec<String>,
}

impl fmt::Debug for CredentialSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialSources")
            .field("provider", &self.provider.is_some())
            .field("authenticator", &self.authenticator.is_some())
            .field("private_hosts", &self.private_hosts)
            .finish()
    }
}

/// The sources of credentials of an open connection.
pub(super) struct Credentials {
    pub(super) provider: Option<Arc<HeaderProvider>>,
    pub(super) authenticator: Option<(Arc<dyn Authenticator>, AuthHttp)>,
}

/// A request, the message that it carries, and how often it was challenged.
pub(super) struct Sending<'a> {
    pub(super) request: Request<String>,
    pub(super) outgoing: Option<&'a Outgoing>,
    pub(super) challenges: u32,
}

impl Sending<'_> {
    fn info(&self, server: &Uri) -> RequestInfo {
        let method = self.outgoing.map(|outgoing| outgoing.method.clone());
        let rpc_method = method.filter(|method| !method.is_empty());
        let method = self.request.method().clone();
        let url = self.request.uri().clone();
        RequestInfo::new(method, server.clone(), url, rpc_method)
    }
}

impl Remote {
    /// Returns the headers with the credentials for a request that is about to be sent.
    ///
    /// # Errors
    ///
    /// [`CallError::Authentication`].
    pub(super) async fn credentials(&self, sending: &Sending<'_>) -> Result<HeaderMap, CallError> {
        let mut headers = HeaderMap::new();
        if let Some(provide) = &self.credentials.provider {
            let provided = self
                .suspended(sending, provide(sending.info(&self.uri)))
                .await;
            headers = provided.map_err(|error| failed("the header provider", error))?;
        }
        if let Some((authenticator, http)) = &self.credentials.authenticator {
            let found = authenticator.credentials(sending.info(&self.uri), http.clone());
            let found = self.suspended(sending, found).await;
            headers.extend(found.map_err(|error| failed("getting credentials", error))?);
        }
        for value in headers.values_mut() {
            value.set_sensitive(true);
        }
        Ok(headers)
    }

    /// Passes a response to the authenticator, if there is one. Returns the response unless the
    /// request must be sent again. `sent` are the credentials that the request was sent with.
    ///
    /// # Errors
    ///
    /// [`CallError::Authentication`] when the authenticator fails, or the request is finally
    /// refused.
    pub(super) async fn accepted(
        &self,
        sending: &mut Sending<'_>,
        sent: HeaderMap,
        response: Response<Incoming>,
    ) -> Result<Option<Response<Incoming>>, CallError> {
        let Some((authenticator, http)) = &self.credentials.authenticator else {
            return Ok(Some(response));
        };
        // There is no address if a proxy is used.
        if let Some(connection) = response.extensions().get::<HttpInfo>() {
            http.server_is_at(connection.remote_addr().ip());
        }
        let status = response.status();
        let info = sending.info(&self.uri);
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            authenticator.observe(&info, status, response.headers());
            return Ok(Some(response));
        }
        if sending.challenges < MAX_CHALLENGES && info.method != Method::DELETE {
            let challenge = Challenge::new(status, response.headers().clone(), sent);
            let decision = authenticator.challenged(info, challenge, http.clone());
            let decision = self.suspended(sending, decision).await;
            let step = match status {
                StatusCode::UNAUTHORIZED => "authentication after HTTP 401",
                _ => "authentication after HTTP 403",
            };
            if decision.map_err(|error| failed(step, error))? == AfterChallenge::SendAgain {
                sending.challenges += 1;
                return Ok(None);
            }
        }
        // A 403 without a challenge is not about credentials.
        if status == StatusCode::FORBIDDEN && !response.headers().contains_key(WWW_AUTHENTICATE) {
            return Ok(Some(response));
        }
        let (parts, body) = response.into_parts();
        let (body, _) = self.read_body(&parts, body).await.unwrap_or_default();
        let refused = no_message(&parts, &body);
        Err(failed("authentication", Box::new(refused)))
    }

    /// Waits for `future`. The time limits of the request are suspended meanwhile, because the
    /// server is not at fault.
    async fn suspended<T>(&self, sending: &Sending<'_>, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        tokio::select! {
            biased;
            done = &mut future => return done,
            () = ready(()) => {}
        }
        let id = sending.outgoing.and_then(|outgoing| outgoing.id.as_ref());
        if let Some(id) = id {
            self.deliver(RemoteEvent::Suspended(id.clone(), true)).await;
        }
        let done = future.await;
        if let Some(id) = id {
            self.deliver(RemoteEvent::Suspended(id.clone(), false))
                .await;
        }
        done
    }
}

fn failed(step: &'static str, error: Box<dyn Error + Send + Sync>) -> CallError {
    CallError::Authentication { step, error }
}
