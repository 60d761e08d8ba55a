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

/// Sends the requests that carry credentials or fetch them. URLs must be `https` or on this
/// machine, unless the user allows plain `http` everywhere.
#[derive(Clone)]
pub(crate) struct CredentialHttp {
    http: AuthHttp,
    allows_plain: bool,
}

impl CredentialHttp {
    pub(crate) fn new(http: AuthHttp, allows_plain: bool) -> Self {
        Self { http, allows_plain }
    }

    /// Returns true if requests may be sent to a URL, which must not have a user or a fragment.
    fn allows(&self, url: &str) -> bool {
        is_allowed(url, self.allows_plain)
    }

    pub(super) fn exchange(&self, step: AuthStep) -> Exchange<'_> {
        Exchange { http: self, step }
    }
}

pub(crate) fn is_allowed(url: &str, allows_plain: bool) -> bool {
    ServerUrl::parse(url).is_ok_and(|url| allows_plain || url.is_secure())
}

/// The HTTP client for one step. Errors name the step.
#[derive(Clone, Copy)]
pub(crate) struct Exchange<'a> {
    http: &'a CredentialHttp,
    step: AuthStep,
}

/// An error response (RFC 6749 §5.2).
#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

impl Exchange<'_> {
    /// Fetches a metadata document, following redirects.
    ///
    /// Returns the response, whatever its status, and the URL that it came from.
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

    /// Posts to an endpoint and returns a successful response. A redirect is an error. `observe`
    /// receives the headers of every response.
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
        // Some servers send errors with status 200.
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

    /// Parses a URL that requests may be sent to. Addresses are checked later, when the request is
    /// sent.
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

/// The resolved target of a redirect (RFC 9110 §10.2.2).
fn redirection(base: &str, response: &Response<Bytes>) -> Option<String> {
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let target = UriReferenceStr::new(location).ok()?;
    let target = target.resolve_against(UriAbsoluteStr::new(base).ok()?);
    let target = target.to_string();
    let (target, _) = target.split_once('#').unwrap_or((&target, ""));
    Some(target.to_owned())
}
