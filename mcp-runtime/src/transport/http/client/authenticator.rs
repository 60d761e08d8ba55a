//! The interface of authentication schemes such as OAuth, and the HTTP client for their own
//! requests.

use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::{fmt, io};

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HeaderMap, PROXY_AUTHORIZATION};
use http::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::proxy::matcher::Matcher;
use rustls::ClientConfig;
use tokio::time::timeout;

use super::address_rule::AddressRule;
use super::body::{UNCOMPRESSED, compressed, next_bytes};
use super::connector::{Connector, authority, client, connect_error};
use crate::connection::{BYTE_ORDER_MARK, BoxFuture};
use crate::limits::{AUTH_ANSWER_BYTES, AUTH_REQUEST_TIMEOUT};
use crate::transport::PrincipalChanges;
use crate::transport::server_address::{TrustedRoots, tls_config};

/// The result of an [`Authenticator`] or a
/// [header provider](super::HttpUrl::header_provider). An error fails the request with
/// [`CallError::Authentication`](crate::CallError::Authentication).
pub type AuthResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A scheme with which a client authenticates itself; set with
/// [`HttpUrl::auth`](super::HttpUrl::auth).
///
/// It supplies headers before each HTTP request, and decides what to do after each response with
/// status 401 or 403. One authenticator serves all requests of all connections concurrently. If
/// several requests get a 401 at the same time, the first may renew the credentials while the
/// others wait; [`Challenge::sent`] tells each of them whether the credentials have been renewed
/// meanwhile.
///
/// While a request waits for these futures, its time limits are suspended, because a person may be
/// typing a password. The time limits of notifications and responses are not suspended. A future is
/// dropped when its request is abandoned, so work that must continue needs its own task.
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
/// /// Fetches a token from a separate service when the last token is no longer accepted.
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
    message = "`{Self}` is not an `Authenticator`",
    label = "not an `Authenticator`",
    note = "to send a token, use `.bearer_auth(\"…\")`; to fetch one, use `OAuth` of `mcp-auth`"
)]
pub trait Authenticator: Send + Sync + 'static {
    /// Returns the headers with the credentials for a request. Called each time before a request is
    /// sent. The headers replace other headers of the same name, and are never logged.
    fn credentials(&self, request: RequestInfo, http: AuthHttp)
    -> BoxFuture<AuthResult<HeaderMap>>;

    /// Decides whether a request that was answered with 401 or 403 is sent again, usually after the
    /// credentials were renewed. The server has not served the request. Called at most 5 times for
    /// each request, and not for the DELETE that ends a session.
    fn challenged(
        &self,
        request: RequestInfo,
        challenge: Challenge,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>>;

    /// Receives the headers of all other responses. Must return quickly. Does nothing by default.
    fn observe(&self, request: &RequestInfo, status: StatusCode, headers: &HeaderMap) {
        let _ = (request, status, headers);
    }

    /// Returns the identifiers of the protocol extensions that define the scheme, such as
    /// `io.modelcontextprotocol/oauth-client-credentials`. The client declares them in its
    /// capabilities. Called when a connection is opened. Empty by default.
    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Counts how often the principal that requests are sent for has changed, through a login or a
    /// logout. A client with a [cache](crate::ClientBuilder::cache) drops private answers after
    /// each change. Called when a connection is opened. By default, the principal never changes.
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

/// An HTTP request that is about to be sent to the MCP server, or has been sent. `Debug` shows only
/// the host of the URL.
#[derive(Clone)]
#[non_exhaustive]
pub struct RequestInfo {
    /// The HTTP method: `POST` for a message, `GET` for a stream, `DELETE` to end a session.
    pub method: Method,
    /// The URL of the server as the user set it, without user information.
    pub server: Uri,
    /// The URL that the request is sent to, which differs from the server's after a redirect within
    /// its origin.
    pub url: Uri,
    /// The method of the JSON-RPC request or notification that the HTTP request serves, such as
    /// `tools/call`; `None` for responses, and for requests about the whole session.
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

/// A response with status 401 or 403 (RFC 9110, sections 15.5.2 and 15.5.4).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Challenge {
    /// 401 or 403.
    pub status: StatusCode,
    /// The headers of the response, including `WWW-Authenticate`.
    pub headers: HeaderMap,
    /// The headers with credentials that were sent. If they are no longer the current headers,
    /// trying again with the current headers may succeed.
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
    /// Send the request again, after calling [`Authenticator::credentials`] again, unless it has
    /// been sent too often.
    SendAgain,
    /// Accept the server's response, so that the request fails.
    GiveUp,
}

/// Sends an [`Authenticator`](super::Authenticator)'s own HTTP requests, such as to an
/// authorization server, with the proxies and root certificates of the MCP server. Cloning is
/// cheap.
///
/// - Redirects are not followed, but returned.
/// - A compressed response is an error, because the client does not decompress.
/// - A response may have up to 1 MiB, and must be complete within 30 seconds.
/// - Addresses that are not public (loopback, private, link-local, cloud metadata) are refused
///   after names are resolved. Exceptions are addresses of the same kind as the MCP server's,
///   except for metadata services, and hosts named with
///   [`allow_private_host`](super::HttpUrl::allow_private_host). A [`trusted`](Self::trusted)
///   client allows all addresses. A proxy resolves names itself, so behind a proxy only IP
///   addresses in URLs are checked.
/// - Headers of the MCP server, [`header`](super::HttpUrl::header) included, are not sent.
#[derive(Clone)]
pub struct AuthHttp {
    client: Client<HttpsConnector<Connector>, String>,
    connector: Connector,
    /// `None` if every address is allowed.
    rule: Option<Arc<AddressRule>>,
}

impl AuthHttp {
    /// Creates a client for URLs from trusted configuration, without an MCP server, for example for
    /// a server's requests to its authorization server. Every address is allowed, so URLs must come
    /// from configuration or from the servers that it names. The proxies are taken from the
    /// environment. Certificates are checked against the roots of the Mozilla project and `roots`,
    /// which are in DER.
    ///
    /// ```
    /// use mcp_runtime::transport::http_client::AuthHttp;
    ///
    /// let http = AuthHttp::trusted([])?;
    /// # drop(http);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If one of `roots` is not a certificate.
    pub fn trusted(roots: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Self> {
        let proxies = Arc::new(Matcher::from_env());
        Ok(Self::new(tls_config(&added(roots))?, proxies, None))
    }

    /// Creates a client for URLs from untrusted sources, without an MCP server. Only public
    /// addresses are allowed, except for `private_hosts`, which may have any address. Proxies and
    /// certificates are as for [`trusted`](Self::trusted).
    ///
    /// # Errors
    ///
    /// If one of `roots` is not a certificate.
    pub fn public(
        roots: impl IntoIterator<Item = Vec<u8>>,
        private_hosts: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        let rule = AddressRule::new(&Uri::default(), private_hosts.into_iter().collect());
        let proxies = Arc::new(Matcher::from_env());
        let tls = tls_config(&added(roots))?;
        Ok(Self::new(tls, proxies, Some(Arc::new(rule))))
    }

    pub(super) fn new(
        tls: ClientConfig,
        proxies: Arc<Matcher>,
        rule: Option<Arc<AddressRule>>,
    ) -> Self {
        let connector = Connector::new(proxies, rule.clone());
        Self {
            client: client(tls, connector.clone()),
            connector,
            rule,
        }
    }

    pub(super) fn server_is_at(&self, address: IpAddr) {
        if let Some(rule) = &self.rule {
            rule.server_is_at(address);
        }
    }

    /// Sends a request once and reads the response, whatever its status.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the URL is neither `http` nor `https`, `PermissionDenied` if the address
    /// is refused, `TimedOut`, `InvalidData` if the response is too long or compressed, or the kind
    /// of the network's error. The message names only the host of the URL.
    pub async fn send(&self, request: Request<String>) -> io::Result<Response<Bytes>> {
        let uri = request.uri().clone();
        let host = uri.host().unwrap_or_default();
        if host.is_empty() || !matches!(uri.scheme_str(), Some("http" | "https")) {
            let reason = "a URL for authentication must begin with `https://` or `http://`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let server = authority(&uri);
        let checked = self
            .rule
            .as_ref()
            .map_or(Ok(()), |rule| rule.check_host(host));
        checked.map_err(|error| {
            io::Error::new(error.kind(), format!("{server} can't be reached: {error}"))
        })?;
        let received = timeout(AUTH_REQUEST_TIMEOUT, self.receive(request)).await;
        received.unwrap_or_else(|_| {
            let reason = format!("{server} did not answer within {AUTH_REQUEST_TIMEOUT:?}");
            Err(io::Error::new(io::ErrorKind::TimedOut, reason))
        })
    }

    async fn receive(&self, mut request: Request<String>) -> io::Result<Response<Bytes>> {
        let uri = request.uri().clone();
        let authorization = self.connector.proxy_authorization(&uri);
        let headers = request.headers_mut();
        headers.extend(authorization.map(|value| (PROXY_AUTHORIZATION, value)));
        headers.insert(ACCEPT_ENCODING, UNCOMPRESSED);
        let sent = self.client.request(request).await;
        let (parts, mut body) = sent
            .map_err(|error| connect_error(&uri, &error))?
            .into_parts();
        if parts.status.is_success()
            && let Some(reason) = compressed(&parts.headers)
        {
            let reason = format!("the answer of {} can't be read: {reason}", authority(&uri));
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        let mut bytes = Vec::new();
        while let Some(data) = next_bytes(&mut body).await {
            bytes.extend_from_slice(&data.map_err(|error| connect_error(&uri, &error))?);
            if bytes.len() > AUTH_ANSWER_BYTES {
                let server = authority(&uri);
                let reason =
                    format!("the answer of {server} is longer than {AUTH_ANSWER_BYTES} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
        let bytes = Bytes::from(bytes);
        let after_mark = bytes.strip_prefix(BYTE_ORDER_MARK);
        let body = after_mark.map_or(bytes.clone(), |rest| bytes.slice_ref(rest));
        Ok(Response::from_parts(parts, body))
    }
}

/// Adds `roots` to the default roots.
fn added(roots: impl IntoIterator<Item = Vec<u8>>) -> TrustedRoots {
    TrustedRoots {
        added: roots.into_iter().collect(),
        ..TrustedRoots::default()
    }
}

impl fmt::Debug for AuthHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthHttp").finish_non_exhaustive()
    }
}
