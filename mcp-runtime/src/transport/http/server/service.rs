//! The HTTP server as a `tower::Service`, and its metrics.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use http::header::{HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower_service::Service;
use tracing::Level;

use super::access::{self, allow_origin, authorize, check_caller, cors_origin, preflight};
use super::admission::ResponseHeaders;
use super::body::ResponseBody;
use super::options::HttpOptions;
use super::response;
use super::state::{ConnectionInfo, HttpState};
use super::unread::Unread;
use crate::error::{Rejection, RequestError, ServeError};
use crate::limits::{FOREVER, LAST_ANSWERS_TIMEOUT};
use crate::server::{Server, Started};
use crate::transport::http::exchange::{handshake, post};

/// Serves `server` at the path where the service is mounted, in all revisions.
///
/// The service works with any stack that uses `tower::Service` and `http`, such as axum, where it
/// is mounted with `Router::route_service("/mcp", service)`. The program may put any layers in
/// front of it: TLS, authentication (see [`Principal`](crate::transport::http::Principal)), rate
/// limits. The [`AccessPolicy`](crate::transport::http::AccessPolicy) in the options decides behind
/// these layers. The service must be called within a tokio runtime.
///
/// The program must [start](HttpService::start) the service before it serves. Until then, each
/// request is answered with 503, and an error is logged once.
///
/// ```no_run
/// use axum::Router;
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::transport::http::{HttpOptions, http_service};
///
/// # struct Library;
/// # #[mcp_server] impl Library {}
/// # async fn signal() {}
/// # async fn example(listener: tokio::net::TcpListener) -> Result<(), Box<dyn std::error::Error>> {
/// let mcp = http_service(Library, HttpOptions::default());
/// let guard = mcp.start().await?;
/// let app = Router::new().route_service("/mcp", mcp);
/// axum::serve(listener, app)
///     .with_graceful_shutdown(async {
///         signal().await;
///         if let Err(error) = guard.shut_down().await {
///             eprintln!("{error}");
///         }
///     })
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn http_service(server: impl Into<Server>, options: HttpOptions) -> HttpService {
    HttpService::new(HttpState::new(server.into(), options, false))
}

/// A server as a `tower::Service`; made by [`http_service`]. Clones share all state.
#[derive(Clone)]
pub struct HttpService {
    pub(crate) state: Arc<HttpState>,
    pub(crate) connection: ConnectionInfo,
}

impl HttpService {
    pub(crate) fn new(state: HttpState) -> Self {
        Self {
            // The program owns the connections, so only the limit for all of them together applies.
            connection: ConnectionInfo {
                peer_addr: None,
                unread: state.unread(usize::MAX),
                negotiated: None,
            },
            state: Arc::new(state),
        }
    }

    /// Starts the server as [`Serve`](crate::server::Serve) does: checks the settings, runs the
    /// `on_start` hooks, and accepts requests from then on. All clones are started with it, as are
    /// the services for [HTTP+SSE](Self::sse) and [WebSocket](Self::websocket) that are made from
    /// it.
    ///
    /// # Errors
    ///
    /// As [`Server::serve`]: settings that can't work, a missing extension, or an error of
    /// `on_start`. After such an error it may be called again. After it has succeeded, it fails
    /// with [`ServeError::AlreadyStarted`].
    pub async fn start(&self) -> Result<ServiceGuard, ServeError> {
        let state = &self.state;
        let _starting = state.starting.lock().await;
        if state.has_started.load(Ordering::Relaxed) {
            return Err(ServeError::AlreadyStarted);
        }
        state.options.check(None)?;
        let replicas = state.join_replicas()?;
        let started = state.server.start().await?;
        state.server.has_started("a service of another program");
        state.has_started.store(true, Ordering::Relaxed);
        state.ending.send_replace(false);
        Ok(ServiceGuard {
            service: self.clone(),
            started,
            _replicas: replicas,
            is_shut_down: false,
        })
    }

    /// Returns true while requests are accepted: after [`start`](Self::start), until the guard
    /// shuts the service down or is dropped. Use it for a readiness check.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.state.is_ending()
    }

    /// Refuses new requests with 503, and ends streams that do not belong to a request. Calls in
    /// flight go on.
    pub(crate) fn shut_down(&self) {
        self.state.ending.send_replace(true);
        self.state.stateless.end();
        for session in self.state.sessions.all() {
            session.shut_down();
        }
    }

    /// Ends all sessions, and answers all calls in flight with an error.
    pub(crate) fn terminate(&self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        self.state.terminated.send_replace(true);
        for session in self.state.sessions.all() {
            session.cut(&RequestError::ShuttingDown);
            self.state.sessions.end(session.id);
        }
    }

    /// Describes a connection from `addr` that this process has accepted.
    pub(crate) fn connection(&self, addr: SocketAddr) -> ConnectionInfo {
        ConnectionInfo {
            peer_addr: Some(addr),
            unread: self.state.unread(self.state.options.max_unread_bytes),
            negotiated: Some(Arc::default()),
        }
    }
}

/// Keeps a mounted server running; returned by [`HttpService::start`].
///
/// Dropping it ends the service without running `on_shutdown` and logs a warning, so call
/// [`shut_down`](Self::shut_down) instead.
#[must_use = "the service ends when this is dropped"]
#[derive(Debug)]
pub struct ServiceGuard {
    service: HttpService,
    started: Started,
    /// The tasks that listen to other replicas.
    _replicas: JoinSet<()>,
    is_shut_down: bool,
}

impl ServiceGuard {
    /// Ends the service: refuses new requests with 503, ends streams that do not belong to a
    /// request, waits for the calls in flight within the
    /// [drain timeout](HttpOptions::drain_timeout), and then runs `on_shutdown`. Calls that are
    /// still in flight after the drain timeout are answered with an error, within one more second.
    ///
    /// # Errors
    ///
    /// [`ServeError::Shutdown`] with the first error of `on_shutdown`.
    pub async fn shut_down(mut self) -> Result<(), ServeError> {
        let state = &self.service.state;
        self.service.shut_down();
        let drain = state.options.limits.drain.min(FOREVER);
        if timeout(drain, state.idle()).await.is_err() {
            self.service.terminate();
            // Don't wait for clients that do not read.
            let _ = timeout(LAST_ANSWERS_TIMEOUT, state.idle()).await;
        }
        state.is_over.store(true, Ordering::Relaxed);
        let outcome = self.started.shut_down().await;
        self.is_shut_down = true;
        outcome
    }
}

impl Drop for ServiceGuard {
    fn drop(&mut self) {
        self.service.shut_down();
        self.service.terminate();
        if !self.is_shut_down {
            crate::log::warn!(
                "an HTTP service ended without `on_shutdown`: its guard was dropped before \
                 `shut_down()` was done"
            );
        }
    }
}

/// The future of an [`HttpService`], which resolves to the response.
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
        let connection = self.connection.clone();
        let mut terminated = self.state.terminated.subscribe();
        let response = respond(Arc::clone(&self.state), connection.clone(), request);
        Box::pin(async move {
            // A request may be waiting for something other than its call, such as a stalled store.
            // Without this limit, the program would wait for it even after the service has ended.
            let ended = async {
                let _ = terminated.wait_for(|terminated| *terminated).await;
                tokio::time::sleep(LAST_ANSWERS_TIMEOUT).await;
            };
            tokio::select! {
                biased;
                response = response => response,
                () = ended => Ok(finish(Err(Rejection::Ending), None, None, &connection.unread)),
            }
        })
    }
}

pub(crate) fn respond<B: Body<Data: Send, Error: Send> + Send + 'static>(
    state: Arc<HttpState>,
    connection: ConnectionInfo,
    request: Request<B>,
) -> ResponseFuture {
    let (parts, body) = request.into_parts();
    // Boxed because it is moved through several futures.
    let parts = Box::new(parts);
    Box::pin(async move {
        let origin = cors_origin(&parts.headers, &state.options);
        let mut added = None;
        let served = serve(&state, parts, body, &connection, &mut added).await;
        Ok(finish(served, added, origin, &connection.unread))
    })
}

/// Finishes a response: adds headers, counts its bytes, and lets pages of `origin` read it.
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

/// Refuses requests with a host or origin that is not allowed, and all requests once the server
/// ends.
///
/// # Errors
///
/// The reason why the request is refused.
pub(crate) fn admit(state: &HttpState, parts: &Parts) -> Result<(), Rejection> {
    check_caller(&parts.uri, &parts.headers, &state.options)?;
    if state.is_ending() {
        return Err(state.refusal());
    }
    Ok(())
}

/// Answers a request whose method is not one of the `allowed` methods. A preflight request gets the
/// list of methods.
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

/// Serves a request. Headers that the access policy adds to the answer are stored in `added`.
async fn serve<B: Body>(
    state: &HttpState,
    mut parts: Box<Parts>,
    body: B,
    connection: &ConnectionInfo,
    added: &mut Option<Box<HeaderMap>>,
) -> Result<Response<ResponseBody>, Rejection> {
    let policy = &state.options.policy;
    if policy.has_endpoint(parts.uri.path())? {
        return access::respond(state, parts, body, connection.peer_addr).await;
    }
    admit(state, &parts)?;
    if let Some(document) = policy.document(parts.uri.path())? {
        return match parts.method {
            Method::GET => Ok(response::json(StatusCode::OK, document.into())),
            Method::HEAD => Ok(response::head(StatusCode::OK, document.len())),
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

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("options", &self.state.options)
            .finish_non_exhaustive()
    }
}

/// The target of the events that the metrics layer of `tracing-opentelemetry` reads.
const TARGET: &str = "mcp_runtime::http";

/// Counts a connection as open until it is dropped.
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
