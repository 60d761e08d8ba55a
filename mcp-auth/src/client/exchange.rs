//! HTTP exchanges with URLs that servers have named.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use http::{Method, Request, Response, Uri};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use mcp_runtime::transport::http_client::{AuthHttp, retry_after};
use serde::Deserialize;

use super::error::{AuthError, AuthErrorKind, AuthStep};
use crate::limits::client::MAX_REDIRECTS;
use crate::metadata::url::ServerUrl;

/// Sends requests with credentials, or for them: over `https`, or on this machine, unless the user allows
/// plain `http` everywhere.
#[derive(Clone)]
pub(crate) struct CredentialHttp {
    http: AuthHttp,
    allows_plain: bool,
}

impl CredentialHttp {
    pub(crate) fn new(http: AuthHttp, allows_plain: bool) -> Self {
        Self { http, allows_plain }
    }

    /// Returns true if a URL may be sent to: without user and fragment.
    fn allows(&self, url: &str) -> bool {
        is_allowed(url, self.allows_plain)
    }

    /// The client for one step.
    pub(super) fn exchange(&self, step: AuthStep) -> Exchange<'_> {
        Exchange { http: self, step }
    }
}

/// Returns true if credentials may be sent to a URL.
pub(crate) fn is_allowed(url: &str, allows_plain: bool) -> bool {
    ServerUrl::parse(url).is_ok_and(|url| allows_plain || url.is_secure())
}

/// The HTTP client for one step, which its errors name.
#[derive(Clone, Copy)]
pub(crate) struct Exchange<'a> {
    http: &'a CredentialHttp,
    step: AuthStep,
}

/// `error` and `error_description` of an answer (RFC 6749 §5.2).
#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

impl Exchange<'_> {
    /// Gets a document of metadata. A redirect is followed as if its target had been named.
    ///
    /// Returns the answer and the URL that it came from, whatever its status.
    pub(crate) async fn get(&self, url: &str) -> Result<(Response<Bytes>, String), AuthError> {
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            let request = self.request(Method::GET, &url, String::new())?;
            let response = self.send(&url, request).await?;
            if !response.status().is_redirection() {
                return Ok((response, url));
            }
            let Some(target) = redirection(&url, &response) else {
                return Err(self.error(&url, AuthErrorKind::Status(response.status())));
            };
            url = target;
        }
        Err(self.error(&url, AuthErrorKind::Redirect))
    }

    /// Posts to an endpoint, and returns its answer if it is a success. A redirect is an error.
    /// `observe` gets the headers of each answer.
    pub(crate) async fn post(
        &self,
        url: &str,
        content_type: &'static str,
        headers: HeaderMap,
        body: String,
        observe: impl FnOnce(&HeaderMap),
    ) -> Result<Response<Bytes>, AuthError> {
        let mut request = self.request(Method::POST, url, body)?;
        let content_type = HeaderValue::from_static(content_type);
        request.headers_mut().insert(CONTENT_TYPE, content_type);
        request.headers_mut().extend(headers);
        let response = self.send(url, request).await?;
        observe(response.headers());
        // Some answer errors with 200.
        let status = response.status();
        let cause = match serde_json::from_slice::<Refusal>(response.body()) {
            Ok(refusal) => AuthErrorKind::Refused {
                status,
                code: refusal.error,
                description: refusal.error_description,
            },
            Err(_) if status.is_success() => return Ok(response),
            Err(_) if status.is_redirection() => AuthErrorKind::Redirect,
            Err(_) => AuthErrorKind::Status(status),
        };
        let error = self.error(url, cause);
        Err(error.with_retry_after(retry_after(response.headers())))
    }

    pub(crate) fn error(&self, url: &str, cause: AuthErrorKind) -> AuthError {
        AuthError::new(self.step, url, cause)
    }

    fn request(
        &self,
        method: Method,
        url: &str,
        body: String,
    ) -> Result<Request<String>, AuthError> {
        let uri = self.checked(url)?;
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(ACCEPT, json);
        Ok(request)
    }

    /// Checks that a URL may be sent to. Addresses are checked as that is done.
    pub(crate) fn checked(&self, url: &str) -> Result<Uri, AuthError> {
        let uri = url.parse().ok().filter(|_| self.http.allows(url));
        uri.ok_or_else(|| self.error(url, AuthErrorKind::InsecureUrl))
    }

    async fn send(
        &self,
        url: &str,
        request: Request<String>,
    ) -> Result<Response<Bytes>, AuthError> {
        let sent = self.http.http.send(request).await;
        sent.map_err(|error| self.error(url, AuthErrorKind::Network(error)))
    }
}

/// The target of a redirect, resolved (RFC 9110 §10.2.2).
fn redirection(base: &str, response: &Response<Bytes>) -> Option<String> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let target = UriReferenceStr::new(location).ok()?;
    let target = target.resolve_against(UriAbsoluteStr::new(base).ok()?);
    let target = target.to_string();
    let (target, _) = target.split_once('#').unwrap_or((&target, ""));
    Some(target.to_owned())
}
