//! Discovery of the metadata of an issuer.

use std::sync::Arc;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{Request, StatusCode};
use mcp_runtime::transport::http_client::AuthHttp;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::limits::server::{METADATA_LIFETIME, METADATA_PAUSE};
use crate::metadata::url::ServerUrl;
use crate::metadata::{
    AuthorizationServerMetadata, IssuerTemplate, authorization_server_metadata_urls,
};

pub(crate) struct Discovery {
    pub(super) issuer: String,
    pub(super) http: AuthHttp,
    /// Locked during a fetch, so concurrent requests share it.
    state: Mutex<State>,
    /// With tenants, the metadata may have this template as its `issuer`.
    pub(super) template: Option<IssuerTemplate>,
    /// Configured metadata, which replaces discovery.
    pub(crate) fixed: Option<Arc<AuthorizationServerMetadata>>,
}

#[derive(Default)]
struct State {
    metadata: Option<Arc<AuthorizationServerMetadata>>,
    attempt: Option<(Instant, Option<FetchError>)>,
}

/// The reason why a resource of an issuer can't be fetched. It is only logged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {cause}")]
pub(crate) struct FetchError {
    url: String,
    cause: String,
    is_answered: bool,
    /// The status of a response other than 200.
    pub(super) status: Option<StatusCode>,
}

impl FetchError {
    pub(super) fn answer(url: &str, cause: impl ToString) -> Self {
        Self {
            url: url.to_owned(),
            cause: cause.to_string(),
            is_answered: true,
            status: None,
        }
    }

    pub(super) fn network(url: &str, cause: impl ToString) -> Self {
        Self {
            is_answered: false,
            ..Self::answer(url, cause)
        }
    }
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

    /// The issuer's metadata. If it can't be fetched, the last known metadata is used.
    pub(crate) async fn metadata(&self) -> Result<Arc<AuthorizationServerMetadata>, FetchError> {
        if let Some(fixed) = &self.fixed {
            return Ok(Arc::clone(fixed));
        }
        let mut state = self.state.lock().await;
        let now = Instant::now();
        if let Some((at, error)) = &state.attempt {
            let age = now.duration_since(*at);
            match (&state.metadata, error) {
                (Some(found), None) if age < METADATA_LIFETIME => return Ok(Arc::clone(found)),
                (Some(found), Some(_)) if age < METADATA_PAUSE => return Ok(Arc::clone(found)),
                (None, Some(error)) if age < METADATA_PAUSE => return Err(error.clone()),
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
                mcp_runtime::log::warn!(%error, "the metadata of an issuer can't be fetched: the \
                                                 last known metadata is used");
                Ok(Arc::clone(old))
            }
            (Err(error), None) => Err(error),
        }
    }

    /// Forces the metadata to be fetched again on next use, because an endpoint may have moved.
    pub(super) async fn expire(&self) {
        self.state.lock().await.attempt = None;
    }

    async fn discover(&self) -> Result<AuthorizationServerMetadata, FetchError> {
        let urls = authorization_server_metadata_urls(&self.issuer)
            .map_err(|error| FetchError::network(&self.issuer, error))?;
        let mut first = None;
        for url in &urls {
            let found = self.fetch(url).await.and_then(|json| {
                AuthorizationServerMetadata::parse_if(&json, &self.issuer, |found| {
                    let template = self.template.as_ref();
                    found == self.issuer || template.is_some_and(|it| it.as_str() == found)
                })
                .map_err(|error| FetchError::answer(url, error))
            });
            match found {
                Ok(metadata) => return Ok(metadata),
                // The host is unreachable, so the other URLs would also fail.
                Err(error) if !error.is_answered => return Err(error),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| FetchError::answer(&self.issuer, "it has no metadata")))
    }

    pub(super) async fn fetch(&self, url: &str) -> Result<Bytes, FetchError> {
        let request = Request::get(url)
            .header(ACCEPT, "application/json")
            .body(String::new());
        self.send(url, request).await
    }

    /// Sends a request, and returns the body of a response with status 200.
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
            status => Err(FetchError {
                status: Some(status),
                ..FetchError::answer(
                    url,
                    format!("it answers with status {status} instead of 200"),
                )
            }),
        }
    }

    /// Checks the URL of an endpoint that the metadata has as `name`.
    pub(crate) fn endpoint<'a>(
        &self,
        name: &str,
        url: Option<&'a str>,
    ) -> Result<&'a str, FetchError> {
        let wrong = |cause: String| FetchError::answer(&self.issuer, cause);
        let url = url.ok_or_else(|| wrong(format!("its metadata has no `{name}`")))?;
        let parsed = ServerUrl::parse(url).map_err(|error| wrong(error.to_string()))?;
        // Plain http is accepted only on loopback, and only if the issuer also uses it.
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
