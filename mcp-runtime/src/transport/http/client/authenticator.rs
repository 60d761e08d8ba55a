//! Interface of schemes that authenticate a client, such as OAuth.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use http::header::HeaderMap;
use http::{Method, StatusCode, Uri};

use super::auth_http::AuthHttp;
use crate::connection::BoxFuture;
use crate::transport::PrincipalChanges;

/// The result of an [`Authenticator`] or a
/// [header provider](super::HttpUrl::header_provider). An error fails the request with
/// [`CallError::Authentication`](crate::CallError::Authentication).
pub type AuthResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A scheme by which a client authenticates itself; set by [`HttpUrl::auth`](super::HttpUrl::auth).
///
/// It is asked for headers before each HTTP request, and for a decision after each answer with
/// status 401 or 403. One authenticator serves all requests of all connections at the same time:
/// of many that meet a 401 together, the first one may renew the credentials while the others wait,
/// and each of them can tell by [`Challenge::sent`] that they were renewed meanwhile.
///
/// Time in which a request waits for these futures does not count towards its time limits: a
/// person may type a password. Notifications and responses are given up when their time is over all
/// the same. A future is dropped when its request is given up; work that is to go on needs a task
/// of its own.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use http::{HeaderMap, HeaderValue, Request};
/// use mcp_runtime::BoxFuture;
/// use mcp_runtime::transport::http_client::{
///     AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo, http_client,
/// };
///
/// /// Fetches a token from a service of its own when the last one is no longer accepted.
/// #[derive(Default)]
/// struct Tokens(Arc<Mutex<HeaderMap>>);
///
/// impl Authenticator for Tokens {
///     fn credentials(&self, _: RequestInfo, _: AuthHttp) -> BoxFuture<AuthResult<HeaderMap>> {
///         let current = self.0.lock().unwrap().clone();
///         Box::pin(async move { Ok(current) })
///     }
///
///     fn challenged(
///         &self,
///         _: RequestInfo,
///         challenge: Challenge,
///         http: AuthHttp,
///     ) -> BoxFuture<AuthResult<AfterChallenge>> {
///         let current = Arc::clone(&self.0);
///         Box::pin(async move {
///             if challenge.status != 401 {
///                 return Ok(AfterChallenge::GiveUp);
///             }
///             let request = Request::post("https://login.example.com/token").body(String::new())?;
///             let token = http.send(request).await?.into_body();
///             let value = format!("Bearer {}", std::str::from_utf8(&token)?);
///             let value = HeaderValue::try_from(value)?;
///             current.lock().unwrap().insert("authorization", value);
///             Ok(AfterChallenge::SendAgain)
///         })
///     }
/// }
///
/// let server = http_client("https://example.com/mcp").auth(Tokens::default());
/// # drop(server);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `Authenticator`",
    label = "no `Authenticator`",
    note = "a token is sent by `.bearer_auth(\"…\")`, and `OAuth` of `mcp-auth` fetches one"
)]
pub trait Authenticator: Send + Sync + 'static {
    /// Returns the headers with the credentials of a request, called each time before it is sent.
    /// They replace headers of the same name that are set otherwise, and are never logged.
    fn credentials(&self, request: RequestInfo, http: AuthHttp)
    -> BoxFuture<AuthResult<HeaderMap>>;

    /// Decides about a request that was answered with 401 or 403: whether it is sent again, after
    /// the credentials were renewed. The server has not served it. Called at most 5 times for each
    /// request, and not for the DELETE that ends a session.
    fn challenged(
        &self,
        request: RequestInfo,
        challenge: Challenge,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>>;

    /// Sees the headers of all other answers. Must return quickly. Does nothing by default.
    fn observe(&self, request: &RequestInfo, status: StatusCode, headers: &HeaderMap) {
        let _ = (request, status, headers);
    }

    /// Identifiers of the protocol's extensions that the scheme is defined by, such as
    /// `io.modelcontextprotocol/oauth-client-credentials`: the client declares them in its
    /// capabilities. Called when a connection is opened. None by default.
    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Counts the changes of the principal as whom requests are sent, by a login or a logout: a
    /// client with a [cache](crate::ClientBuilder::cache) forgets private answers then. Called when
    /// a connection is opened. By default, it never changes.
    fn principal(&self) -> PrincipalChanges {
        PrincipalChanges::default()
    }
}

impl<A: Authenticator + ?Sized> Authenticator for Arc<A> {
    fn credentials(
        &self,
        request: RequestInfo,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<HeaderMap>> {
        (**self).credentials(request, http)
    }

    fn challenged(
        &self,
        request: RequestInfo,
        challenge: Challenge,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        (**self).challenged(request, challenge, http)
    }

    fn observe(&self, request: &RequestInfo, status: StatusCode, headers: &HeaderMap) {
        (**self).observe(request, status, headers);
    }

    fn extensions(&self) -> Vec<String> {
        (**self).extensions()
    }

    fn principal(&self) -> PrincipalChanges {
        (**self).principal()
    }
}

/// An HTTP request that is about to be sent to the MCP server, or was sent. `Debug` shows of the URL
/// the host alone.
#[derive(Clone)]
#[non_exhaustive]
pub struct RequestInfo {
    /// The method of HTTP: `POST` for a message, `GET` for a stream, `DELETE` for the end of a
    /// session.
    pub method: Method,
    /// The URL of the server, as the user has set it, without user information.
    pub server: Uri,
    /// The URL that it is sent to, which differs from the server's after a redirect within its
    /// origin.
    pub url: Uri,
    /// The method of the JSON-RPC request or notification because of which it is sent, such as
    /// `tools/call`; absent for responses, and for requests that are about the whole session.
    pub rpc_method: Option<String>,
}

impl RequestInfo {
    pub(super) fn new(method: Method, server: Uri, url: Uri, rpc_method: Option<String>) -> Self {
        Self {
            method,
            server,
            url,
            rpc_method,
        }
    }
}

impl fmt::Debug for RequestInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestInfo")
            .field("method", &self.method)
            .field("host", &self.url.host())
            .field("rpc_method", &self.rpc_method)
            .finish_non_exhaustive()
    }
}

/// An answer with status 401 or 403 (RFC 9110, sections 15.5.2 and 15.5.4).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Challenge {
    /// 401 or 403.
    pub status: StatusCode,
    /// The headers of the answer, `WWW-Authenticate` among them.
    pub headers: HeaderMap,
    /// The headers with credentials that were sent. If they are not the current ones any more, the
    /// current ones may serve.
    pub sent: HeaderMap,
}

impl Challenge {
    pub(super) fn new(status: StatusCode, headers: HeaderMap, sent: HeaderMap) -> Self {
        Self {
            status,
            headers,
            sent,
        }
    }
}

/// The decision about a request that was answered with a [`Challenge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterChallenge {
    /// Send it again, unless it was sent again too often: [`Authenticator::credentials`] is asked
    /// again.
    SendAgain,
    /// Leave it at the answer of the server. The request fails.
    GiveUp,
}
