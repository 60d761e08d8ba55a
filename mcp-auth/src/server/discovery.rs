//! Metadata of an issuer, and the requests for it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{Request, Response, StatusCode};
use mcp_runtime::transport::http_client::{AuthHttp, retry_after};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::jwt::members;
use crate::metadata::url::ServerUrl;
use crate::metadata::{
    AuthorizationServerMetadata, IssuerTemplate, authorization_server_metadata_urls,
};

/// How long metadata is used before it is fetched again.
const LIFETIME: Duration = Duration::from_secs(3600);
/// Pause after an attempt that failed.
const PAUSE: Duration = Duration::from_millis(500);

/// Finds the endpoints of one issuer.
pub(crate) struct Discovery {
    pub(super) issuer: String,
    pub(super) http: AuthHttp,
    /// Locked while metadata is fetched, so that one request does it.
    state: Mutex<State>,
    /// What the metadata may have as its `issuer`, if that has tenants.
    pub(super) template: Option<IssuerTemplate>,
    /// Metadata that is not fetched.
    pub(crate) fixed: Option<Arc<AuthorizationServerMetadata>>,
}

#[derive(Default)]
struct State {
    metadata: Option<Arc<AuthorizationServerMetadata>>,
    /// The time and the error of the last attempt.
    attempt: Option<(Instant, Option<FetchError>)>,
}

/// The cause for which something of an issuer can't be had; for the log of the server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {cause}")]
pub(crate) struct FetchError {
    url: String,
    cause: String,
    pub(super) kind: ErrorKind,
}

/// The reason of an error, as far as it concerns other requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorKind {
    /// No server has answered.
    Network,
    /// The answer can't be used.
    Answer,
    /// The server refuses the content of this request.
    Request,
    /// The server has answered with 429: the time after which to try again.
    TooMany(Duration),
}

/// Statuses by which a server refuses the content of a request.
const OF_REQUEST: [u16; 5] = [400, 413, 414, 422, 431];
/// Errors (RFC 6749 §5.2) about the client, with status 400.
const OF_CLIENT: [&str; 2] = ["invalid_client", "unauthorized_client"];

impl FetchError {
    pub(super) fn answer(url: &str, cause: impl ToString) -> Self {
        Self {
            url: url.to_owned(),
            cause: cause.to_string(),
            kind: ErrorKind::Answer,
        }
    }

    pub(super) fn network(url: &str, cause: impl ToString) -> Self {
        Self {
            kind: ErrorKind::Network,
            ..Self::answer(url, cause)
        }
    }

    /// The error of an answer with another status than 200.
    fn status(url: &str, answer: &Response<Bytes>) -> Self {
        let status = answer.status();
        let error = members::parse(answer.body());
        let error = error.as_ref().and_then(|it| it.get("error")?.as_str());
        let is_of_client = error.is_some_and(|it| OF_CLIENT.contains(&it));
        let is_of_request = OF_REQUEST.contains(&status.as_u16()) && !is_of_client;
        let kind = match too_many(answer) {
            Some(pause) => ErrorKind::TooMany(pause),
            None if is_of_request => ErrorKind::Request,
            None => ErrorKind::Answer,
        };
        let cause = format!("it answers with status {status} instead of 200");
        Self {
            kind,
            ..Self::answer(url, cause)
        }
    }
}

/// The time after which to try again, for an answer with 429: a second to a minute.
pub(super) fn too_many(answer: &Response<Bytes>) -> Option<Duration> {
    let pause = retry_after(answer.headers()).unwrap_or_default();
    let is_too_many = answer.status() == StatusCode::TOO_MANY_REQUESTS;
    is_too_many.then(|| pause.clamp(Duration::from_secs(1), Duration::from_secs(60)))
}

impl Discovery {
    pub(crate) fn new(issuer: &str, http: AuthHttp) -> Self {
        Self {
            issuer: issuer.to_owned(),
            http,
            state: Mutex::default(),
            template: None,
            fixed: None,
        }
    }

    /// The issuer's metadata. Old metadata serves while new can't be had.
    pub(crate) async fn metadata(&self) -> Result<Arc<AuthorizationServerMetadata>, FetchError> {
        if let Some(fixed) = &self.fixed {
            return Ok(Arc::clone(fixed));
        }
        let mut state = self.state.lock().await;
        let now = Instant::now();
        if let Some((at, error)) = &state.attempt {
            let age = now.duration_since(*at);
            match (&state.metadata, error) {
                (Some(found), None) if age < LIFETIME => return Ok(Arc::clone(found)),
                (Some(found), Some(_)) if age < PAUSE => return Ok(Arc::clone(found)),
                (None, Some(error)) if age < PAUSE => return Err(error.clone()),
                _ => {}
            }
        }
        let found = self.discover().await;
        state.attempt = Some((Instant::now(), found.as_ref().err().cloned()));
        match (found, &state.metadata) {
            (Ok(found), _) => {
                let found = Arc::new(found);
                state.metadata = Some(Arc::clone(&found));
                Ok(found)
            }
            (Err(error), Some(old)) => {
                mcp_runtime::log::warn!(%error, "the metadata of an issuer can't be had: the last one is used");
                Ok(Arc::clone(old))
            }
            (Err(error), None) => Err(error),
        }
    }

    /// Has the metadata fetched anew when it is needed next: an endpoint may have moved.
    pub(super) async fn expire(&self) {
        self.state.lock().await.attempt = None;
    }

    async fn discover(&self) -> Result<AuthorizationServerMetadata, FetchError> {
        let urls = authorization_server_metadata_urls(&self.issuer)
            .map_err(|error| FetchError::network(&self.issuer, error))?;
        let mut first = None;
        for url in &urls {
            let found = self.fetch(url).await.and_then(|json| {
                let template = self.template.as_ref();
                AuthorizationServerMetadata::parse_of(&json, &self.issuer, template)
                    .map_err(|error| FetchError::answer(url, error))
            });
            match found {
                Ok(metadata) => return Ok(metadata),
                // Nobody is there for other URLs either.
                Err(error) if error.kind == ErrorKind::Network => return Err(error),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| FetchError::answer(&self.issuer, "it has no metadata")))
    }

    /// Fetches a document.
    pub(super) async fn fetch(&self, url: &str) -> Result<Bytes, FetchError> {
        let request = Request::get(url)
            .header(ACCEPT, "application/json")
            .body(String::new());
        self.send(url, request).await
    }

    /// Sends a request, and returns the body of an answer with status 200.
    pub(super) async fn send(
        &self,
        url: &str,
        request: http::Result<Request<String>>,
    ) -> Result<Bytes, FetchError> {
        let request = request.map_err(|error| FetchError::network(url, error))?;
        let sent = self.http.send(request).await;
        let answer = sent.map_err(|error| FetchError::network(url, error))?;
        match answer.status() {
            StatusCode::OK => Ok(answer.into_body()),
            _ => Err(FetchError::status(url, &answer)),
        }
    }

    /// Checks the URL of an endpoint, which the metadata has under `name`.
    pub(crate) fn endpoint<'a>(
        &self,
        name: &str,
        url: Option<&'a str>,
    ) -> Result<&'a str, FetchError> {
        let wrong = |cause: String| FetchError::answer(&self.issuer, cause);
        let url = url.ok_or_else(|| wrong(format!("its metadata has no `{name}`")))?;
        let parsed = ServerUrl::parse(url).map_err(|error| wrong(error.to_string()))?;
        // One that comes by http is on loopback, as its issuer.
        let may_be_plain = self.issuer.starts_with("http:") && parsed.is_secure();
        if may_be_plain || url.starts_with("https:") {
            return Ok(url);
        }
        Err(wrong(format!("its `{name}` is not an https URL")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_as_safe_as_their_issuer() {
        let accepts = |issuer: &str, url: &str| {
            let discovery = Discovery::new(issuer, AuthHttp::trusted([]).unwrap());
            discovery.endpoint("jwks_uri", Some(url)).is_ok()
        };
        for (url, of_https, of_http) in [
            ("https://keys.example.com/jwks", true, true),
            ("http://keys.example.com/jwks", false, false),
            ("http://localhost:9000/jwks", false, true),
            ("file:///etc/passwd", false, false),
            ("/jwks", false, false),
        ] {
            assert_eq!(accepts("https://login.example.com", url), of_https, "{url}");
            assert_eq!(accepts("http://127.0.0.1:9000", url), of_http, "{url}");
        }
    }
}
