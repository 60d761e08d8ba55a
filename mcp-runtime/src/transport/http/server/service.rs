//! HTTP server as a `tower::Service`, and its metrics.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tower_service::Service;
use tracing::Level;

use super::access::{self, allow_origin, authorize, check_caller, cors_origin, preflight};
use super::admission::ResponseHeaders;
use super::body::ResponseBody;
use super::options::HttpOptions;
use super::response;
use super::state::{ConnectionInfo, HttpState};
use super::unread::Unread;
use crate::error::{Rejection, RequestError};
use crate::server::Server;
use crate::transport::http::{handshake, post};

/// Serves `server` at whatever path the service is mounted, in all revisions.
///
/// The service works with any stack that speaks `tower::Service` and `http`, such as axum, where
/// it goes into `Router::route_service("/mcp", service)`, behind whatever layers the program puts
/// in front: TLS, authentication (see [`Principal`](crate::transport::http::Principal)), rate limits. It must be
/// called within a tokio runtime. An [`AccessPolicy`](crate::transport::http::AccessPolicy) in the
/// options is asked here, behind these layers.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::http::{HttpOptions, http_service};
///
/// let server = Server::builder().build();
/// let service = http_service(server, HttpOptions::default());
/// # drop(service);
/// ```
#[must_use]
pub fn http_service(server: Server, options: HttpOptions) -> HttpService {
    let state = HttpState::new(server, options);
    HttpService {
        // The connections are the program's: only all of them together are known.
        connection: ConnectionInfo {
            peer_addr: None,
            unread: state.unread(usize::MAX),
            negotiated: None,
        },
        state: Arc::new(state),
    }
}

/// A server as a `tower::Service`; made by [`http_service`]. Clones share everything.
#[derive(Clone)]
pub struct HttpService {
    pub(crate) state: Arc<HttpState>,
    pub(crate) connection: ConnectionInfo,
}

impl HttpService {
    /// Refuses new requests with 503 and ends the streams that belong to no request; calls in
    /// flight go on.
    pub fn shut_down(&self) {
        self.state.ending.send_replace(true);
        self.state.stateless.end();
        for session in self.state.sessions.all() {
            session.shut_down();
        }
    }

    /// Ends all sessions, and answers all calls in flight with an error.
    pub fn terminate(&self) {
        self.state.terminated.send_replace(true);
        for session in self.state.sessions.all() {
            session.cut(&RequestError::ShuttingDown);
            self.state.sessions.end(session.id);
        }
    }

    /// A connection from `addr` that this process has accepted.
    pub(crate) fn connection(&self, addr: SocketAddr) -> ConnectionInfo {
        ConnectionInfo {
            peer_addr: Some(addr),
            unread: self.state.unread(self.state.options.max_unread_bytes),
            negotiated: Some(Arc::default()),
        }
    }
}

/// Future of the response of an [`HttpService`].
pub type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, Infallible>> + Send>>;

impl<B: Body<Data: Send, Error: Send> + Send + 'static> Service<Request<B>> for HttpService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        respond(Arc::clone(&self.state), self.connection.clone(), request)
    }
}

/// Responds to a request that has come on `connection`.
pub(crate) fn respond<B: Body<Data: Send, Error: Send> + Send + 'static>(
    state: Arc<HttpState>,
    connection: ConnectionInfo,
    request: Request<B>,
) -> ResponseFuture {
    let (parts, body) = request.into_parts();
    // Moved into several futures.
    let parts = Box::new(parts);
    Box::pin(async move {
        let origin = cors_origin(&parts.headers, &state.options);
        let mut added = None;
        let served = serve(&state, parts, body, &connection, &mut added).await;
        Ok(finish(served, added, origin, &connection.unread))
    })
}

/// Finishes a response: adds headers, counts it, and lets pages of `origin` read it.
pub(crate) fn finish(
    served: Result<Response<ResponseBody>, Rejection>,
    added: Option<Box<HeaderMap>>,
    origin: Option<HeaderValue>,
    unread: &Arc<Unread>,
) -> Response<ResponseBody> {
    let mut response = served.unwrap_or_else(Rejection::response);
    if let Some(added) = added {
        response.headers_mut().extend(*added);
    }
    response.body_mut().count(unread);
    let status = response.status().as_u16();
    tracing::event!(target: TARGET, Level::DEBUG, monotonic_counter.http_requests = 1_u64, status);
    if let Some(origin) = origin {
        allow_origin(&mut response, origin);
    }
    response
}

/// Refuses requests by host and origin, and all of them once the server ends.
///
/// # Errors
///
/// Why the request is refused.
pub(crate) fn admit(state: &HttpState, parts: &Parts) -> Result<(), Rejection> {
    check_caller(&parts.uri, &parts.headers, &state.options)?;
    if state.is_ending() {
        return Err(Rejection::Ending);
    }
    Ok(())
}

/// The answer to a method that is not among those `allowed`: a page may ask which are.
pub(crate) fn other_method(
    state: &HttpState,
    parts: &Parts,
    allowed: &'static str,
) -> Result<Response<ResponseBody>, Rejection> {
    let asks = parts.method == Method::OPTIONS;
    if asks && cors_origin(&parts.headers, &state.options).is_some() {
        return Ok(preflight(&parts.headers));
    }
    Err(Rejection::Method(allowed))
}

/// Serves a request. The headers that the access policy leaves for the answer go to `added`.
async fn serve<B: Body>(
    state: &HttpState,
    mut parts: Box<Parts>,
    body: B,
    connection: &ConnectionInfo,
    added: &mut Option<Box<HeaderMap>>,
) -> Result<Response<ResponseBody>, Rejection> {
    if let Some(policy) = state.options.endpoint(parts.uri.path())? {
        return access::respond(policy, state, parts, body, connection.peer_addr).await;
    }
    admit(state, &parts)?;
    if let Some(document) = state.options.document(parts.uri.path())? {
        return match parts.method {
            Method::GET => Ok(response::json(StatusCode::OK, document.into())),
            Method::HEAD => Ok(head(document)),
            _ => other_method(state, &parts, "GET, HEAD"),
        };
    }
    let peer_addr = connection.peer_addr;
    authorize(&state.options, &state.permits, &mut parts, peer_addr).await?;
    *added = ResponseHeaders::take(&mut parts);
    match parts.method {
        Method::POST => post::serve(state, parts, body, connection).await,
        Method::GET => handshake::listen(state, &parts, &connection.unread).await,
        Method::DELETE => handshake::delete(state, &parts).await,
        _ => other_method(state, &parts, "POST, GET, DELETE"),
    }
}

/// The answer to HEAD for a document.
fn head(document: Bytes) -> Response<ResponseBody> {
    let length = document.len();
    let mut response = response::json(StatusCode::OK, document.into());
    *response.body_mut() = ResponseBody::empty();
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    response
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("options", &self.state.options)
            .finish_non_exhaustive()
    }
}

/// The target of events, whose fields the metrics layer of `tracing-opentelemetry` reads.
const TARGET: &str = "mcp_runtime::http";

/// A connection that is counted until this is dropped.
pub(crate) struct OpenConnection(());

impl OpenConnection {
    pub(crate) fn new() -> Self {
        tracing::event!(target: TARGET, Level::DEBUG, counter.http_connections = 1_i64);
        Self(())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        tracing::event!(target: TARGET, Level::DEBUG, counter.http_connections = -1_i64);
    }
}
