//! Interface of schemes that authenticate a client, such as OAuth, and their own HTTP requests.

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

/// Sends HTTP requests of an [`Authenticator`](super::Authenticator), to an authorization server
/// perhaps, with the proxies and root certificates of the MCP server. Cloning is cheap.
///
/// - Redirects are not followed, but returned.
/// - A compressed answer is an error: the client does not decompress.
/// - An answer may have 1 MiB, and must be complete within 30 seconds.
/// - Addresses that are not public (loopback, private, link-local, metadata of clouds) are refused
///   after names were resolved. The kind of address that the MCP server itself has is allowed, metadata
///   services excepted, and so is what [`allow_private_host`](super::HttpUrl::allow_private_host)
///   names; all are allowed if it is [`trusted`](Self::trusted). A proxy resolves names by itself: only addresses in URLs are checked then.
/// - Headers of the MCP server, [`header`](super::HttpUrl::header) included, are not sent.
#[derive(Clone)]
pub struct AuthHttp {
    client: Client<HttpsConnector<Connector>, String>,
    connector: Connector,
    /// Absent where every address is allowed.
    rule: Option<Arc<AddressRule>>,
}

impl AuthHttp {
    /// Sends requests to URLs of trusted configuration, and without an MCP server: from a server to
    /// its authorization server, for example. Every address is allowed. The proxies are those of the
    /// environment; certificates are checked against the roots of the Mozilla project and `roots`,
    /// which are in DER. URLs must come from configuration, or from the servers that it names.
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
    /// If one of `roots` is no certificate.
    pub fn trusted(roots: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Self> {
        let proxies = Arc::new(Matcher::from_env());
        Ok(Self::new(tls_config(&added(roots))?, proxies, None))
    }

    /// Sends requests to URLs that strangers name, and without an MCP server. Only public addresses are
    /// allowed, and hosts of `private_hosts` whatever their address; proxies and certificates are as for
    /// [`trusted`](Self::trusted).
    ///
    /// # Errors
    ///
    /// If one of `roots` is no certificate.
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

    /// Notes the address from which the MCP server has answered.
    pub(super) fn server_is_at(&self, address: IpAddr) {
        if let Some(rule) = &self.rule {
            rule.server_is_at(address);
        }
    }

    /// Sends a request once, and reads its answer, whatever its status.
    ///
    /// # Errors
    ///
    /// Of kind `InvalidInput` for a URL that is neither `http` nor `https`, `PermissionDenied` for
    /// an address that is refused, `TimedOut`, `InvalidData` for an answer that is too long or
    /// compressed, or the kind of the error of the network. The text names the host, and nothing else of the URL.
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

/// The default roots with others.
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
