//! The HTTP client for URLs that credentials are sent to.

use bytes::Bytes;
use http::{Request, Response};
use mcp_runtime::transport::http_client::AuthHttp;

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
    pub(crate) fn allows(&self, url: &str) -> bool {
        is_allowed(url, self.allows_plain)
    }

    /// Sends a request once; see [`AuthHttp::send`].
    pub(crate) async fn send(&self, request: Request<String>) -> std::io::Result<Response<Bytes>> {
        self.http.send(request).await
    }
}

/// Returns true if credentials may be sent to a URL.
pub(crate) fn is_allowed(url: &str, allows_plain: bool) -> bool {
    ServerUrl::parse(url).is_ok_and(|url| allows_plain || url.is_secure())
}
