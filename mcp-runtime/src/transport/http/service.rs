//! A server as a `tower::Service`.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::HeaderValue;
use http::request::Parts;
use http::{Method, Request, Response};
use http_body::Body;
use tower_service::Service;

use super::body::ResponseBody;
use super::hub::Hub;
use super::options::HttpOptions;
use super::rejection::Rejection;
use super::{cors, figures, get, guard, post};
use crate::server::Server;

/// Serves `server` at whatever path the service is mounted, in all revisions.
///
/// The service works with any stack that speaks `tower::Service` and `http`, such as axum, where
/// it goes into `Router::route_service("/mcp", service)`, behind whatever layers the program puts
/// in front: TLS, authentication (see [`Principal`](super::Principal)), rate limits. It must be
/// called within a tokio runtime.
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
    HttpService {
        hub: Arc::new(Hub::new(server, options)),
        peer_addr: None,
    }
}

/// A server as a `tower::Service`; made by [`http_service`]. Clones share everything.
#[derive(Clone)]
pub struct HttpService {
    pub(super) hub: Arc<Hub>,
    peer_addr: Option<SocketAddr>,
}

impl HttpService {
    /// Refuses new requests with 503 and ends the streams that belong to no request; calls in
    /// flight go on.
    pub fn shut_down(&self) {
        self.hub.shut_down();
    }

    /// Ends all sessions, with the calls in them.
    pub fn terminate(&self) {
        self.hub.terminate();
    }

    /// The same service, for a connection from `addr`.
    pub(super) fn for_peer(&self, addr: SocketAddr) -> Self {
        Self {
            hub: Arc::clone(&self.hub),
            peer_addr: Some(addr),
        }
    }
}

/// What an [`HttpService`] answers with.
pub type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, Infallible>> + Send>>;

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Send,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        let (parts, body) = request.into_parts();
        let (hub, peer_addr) = (Arc::clone(&self.hub), self.peer_addr);
        Box::pin(async move {
            let reader = cors::reader(&parts.headers, &hub.options);
            let served = serve(&hub, parts, body, peer_addr).await;
            Ok(readable(served, reader))
        })
    }
}

/// An answer that `reader` may read, if it is one.
pub(super) fn readable(
    served: Result<Response<ResponseBody>, Rejection>,
    reader: Option<HeaderValue>,
) -> Response<ResponseBody> {
    let mut response = served.unwrap_or_else(Rejection::response);
    figures::answered(response.status());
    if let Some(reader) = reader {
        cors::allow(&mut response, reader);
    }
    response
}

/// Refuses requests of callers that are not allowed, and all of them once the server ends.
///
/// # Errors
///
/// Why the request is refused.
pub(super) fn admit(hub: &Hub, parts: &Parts) -> Result<(), Rejection> {
    guard::check(&parts.uri, &parts.headers, &hub.options)?;
    if hub.is_ending() {
        return Err(Rejection::Ending);
    }
    Ok(())
}

/// The answer to a method that is not among those `allowed`: a page may ask which are.
pub(super) fn other_method(
    hub: &Hub,
    parts: &Parts,
    allowed: &'static str,
) -> Result<Response<ResponseBody>, Rejection> {
    let asks = parts.method == Method::OPTIONS;
    if asks && cors::reader(&parts.headers, &hub.options).is_some() {
        return Ok(cors::preflight(&parts.headers));
    }
    Err(Rejection::Method(allowed))
}

async fn serve<B: Body>(
    hub: &Hub,
    parts: Parts,
    body: B,
    peer_addr: Option<SocketAddr>,
) -> Result<Response<ResponseBody>, Rejection> {
    admit(hub, &parts)?;
    match parts.method {
        Method::POST => post::serve(hub, parts, body, peer_addr).await,
        Method::GET => get::listen(hub, &parts).await,
        Method::DELETE => get::delete(hub, &parts).await,
        _ => other_method(hub, &parts, "POST, GET, DELETE"),
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("options", &self.hub.options)
            .finish_non_exhaustive()
    }
}
