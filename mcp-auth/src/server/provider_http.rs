//! Requests to a provider that looks tokens up by an interface of its own.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, StatusCode};
use mcp_runtime::transport::http_client::{AuthHttp, retry_after};

use super::verifier::VerifyError;
use crate::limits::server::{ISSUER_PAUSE, MAX_ISSUER_PAUSE};

/// The HTTP client, or why there is none.
#[derive(Clone)]
pub(super) struct ProviderHttp(Result<AuthHttp, Arc<str>>);

impl ProviderHttp {
    pub(super) fn new() -> Self {
        Self(AuthHttp::trusted([]).map_err(|error| error.to_string().into()))
    }

    /// Sends a request to a URL that the program has set, and returns the body of an answer with
    /// status 200. An answer with one of the statuses `of_token` refuses the token.
    pub(super) async fn send(
        &self,
        request: http::Result<Request<String>>,
        of_token: &[u16],
    ) -> Result<Bytes, VerifyError> {
        let http = self.0.as_ref().map_err(failed)?;
        let request = request.map_err(failed)?;
        let url = request.uri().clone();
        let response = http.send(request).await.map_err(failed)?;
        let status = response.status();
        if status == StatusCode::OK {
            return Ok(response.into_body());
        }
        if of_token.contains(&status.as_u16()) {
            tracing::info!(%url, %status, "the provider refuses a token");
            return Err(VerifyError::Invalid("the token is not active".into()));
        }
        let error = failed(format!("{url}: {status}"));
        let pause = retry_after(response.headers());
        let pause = pause.map_or(ISSUER_PAUSE, |it| it.clamp(ISSUER_PAUSE, MAX_ISSUER_PAUSE));
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS => VerifyError::TokenUnavailable(pause),
            _ => error,
        })
    }
}

/// Logs why a token can't be looked up.
pub(super) fn failed(error: impl Display) -> VerifyError {
    mcp_runtime::log::warn!(%error, "a token can't be looked up at the provider");
    VerifyError::Unavailable(ISSUER_PAUSE)
}
