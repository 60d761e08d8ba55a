//! Requests to a provider that looks tokens up by an interface of its own.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use mcp_runtime::transport::http_client::AuthHttp;

use super::lookups::PAUSE;
use super::verifier::VerifyError;

/// The HTTP client, or why there is none.
#[derive(Clone)]
pub(super) struct ProviderHttp(Result<AuthHttp, Arc<str>>);

impl ProviderHttp {
    pub(super) fn new() -> Self {
        Self(AuthHttp::trusted([]).map_err(|error| error.to_string().into()))
    }

    /// Sends a request to a URL that the program has set.
    pub(super) async fn send(
        &self,
        request: http::Result<Request<String>>,
    ) -> Result<Response<Bytes>, VerifyError> {
        let http = self.0.as_ref().map_err(failed)?;
        let sent = http.send(request.map_err(failed)?).await;
        sent.map_err(failed)
    }
}

/// Logs why a token can't be looked up.
pub(super) fn failed(error: impl Display) -> VerifyError {
    mcp_runtime::log::warn!(%error, "a token can't be looked up at the provider");
    VerifyError::Unavailable(PAUSE)
}
