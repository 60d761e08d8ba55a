//! WebSocket as a `tower::Service`, for programs that serve HTTP already.

use std::convert::Infallible;
use std::fmt;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{
    CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use tower_service::Service;

use super::attend::{Attendant, Manner, SUBPROTOCOL, lists, offers_mcp};
use crate::connection::Limits;
use crate::server::Server;
use crate::server::running::Running;
use crate::transport::http::{
    Arrival, Http, HttpOptions, Rejection, ResponseBody, Route, check_caller,
};

/// Serves `server` over WebSocket at whatever path the service is mounted, such as in axum's
/// `Router::route_service("/ws", service)`, beside the route for HTTP.
///
/// Hosts and origins are checked as over HTTP; what the options say of requests and sessions has no
/// meaning here. Clients speak HTTP/1.1 up to the upgrade, and the HTTP stack in front must support
/// upgrades, as axum and hyper do. Layers in front see the request that opens the connection: what
/// they put into its extensions is seen by handlers.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::http::HttpOptions;
/// use mcp_runtime::transport::websocket::websocket_service;
///
/// let server = Server::builder().build();
/// let service = websocket_service(server, HttpOptions::default());
/// # drop(service);
/// ```
#[must_use]
pub fn websocket_service(server: Server, options: HttpOptions) -> WebSocketService {
    WebSocketService {
        server,
        manner: Manner::default(),
        limits: Limits::default(),
        shared: Arc::new(Shared {
            options,
            ending: Arc::default(),
        }),
        peer_addr: None,
    }
}

/// A server over WebSocket as a `tower::Service`; made by [`websocket_service`].
#[derive(Clone)]
pub struct WebSocketService {
    server: Server,
    manner: Manner,
    limits: Limits,
    shared: Arc<Shared>,
    peer_addr: Option<SocketAddr>,
}

struct Shared {
    options: HttpOptions,
    ending: Arc<watch::Sender<bool>>,
}

impl WebSocketService {
    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.manner.max_frame_bytes = limit;
        self
    }

    /// How often clients are asked for a sign of life; every 30 seconds by default.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.manner.ping = period;
        self
    }

    /// How long calls in flight may go on after [`shut_down`](Self::shut_down); 10 seconds by
    /// default.
    #[must_use]
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.limits.drain = timeout;
        self
    }

    /// Refuses new connections with 503, and ends those that are open once their calls in flight
    /// are answered.
    pub fn shut_down(&self) {
        self.shared.ending.send_replace(true);
    }

    fn upgrade(
        &self,
        parts: Parts,
        upgrade: OnUpgrade,
    ) -> Result<Response<ResponseBody>, Rejection> {
        check_caller(&parts.uri, &parts.headers, &self.shared.options)?;
        if *self.shared.ending.borrow() {
            return Err(Rejection::Ending);
        }
        if parts.method != Method::GET {
            return Err(Rejection::Method("GET"));
        }
        let Some(response) = agreed(&parts) else {
            return Ok(required());
        };
        let attendant = Attendant {
            running: Running::new(self.server.clone(), self.limits),
            manner: self.manner,
        };
        let arrival = Arrival {
            parts,
            peer_addr: self.peer_addr,
        };
        let (ending, config) = (self.shared.ending.subscribe(), self.manner.config());
        // The connection goes on when the service is gone: nobody has asked for its end.
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let io = match upgrade.await {
                Ok(upgraded) => TokioIo::new(upgraded),
                Err(error) => return tracing::debug!(%error, "an upgrade failed"),
            };
            let stream = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
            attendant.attend(stream, arrival, ending).await;
            drop(shared);
        });
        Ok(response)
    }
}

impl Http {
    /// Serves WebSocket clients as well, at a path such as `/ws`.
    #[must_use]
    pub fn with_websocket(self, path: impl Into<String>) -> Self {
        let path = path.into();
        self.beside(move |http| {
            let (server, options, ending) = http.shared();
            let service = WebSocketService {
                shared: Arc::new(Shared { options, ending }),
                ..websocket_service(server, HttpOptions::default())
            };
            let route: Route = Box::new(move |request, connection| {
                let mut service = service.clone();
                service.peer_addr = connection.peer_addr;
                Box::pin(service.call(request))
            });
            vec![(path, route)]
        })
    }
}

/// The answer that opens a WebSocket (RFC 6455, section 4.2); `None` where the client does not ask
/// for one.
fn agreed(parts: &Parts) -> Option<Response<ResponseBody>> {
    let headers = &parts.headers;
    let upgrades = lists(headers, &CONNECTION, "upgrade") && lists(headers, &UPGRADE, "websocket");
    let version = headers.get(SEC_WEBSOCKET_VERSION);
    if !upgrades || version.is_none_or(|version| version != "13") {
        return None;
    }
    let key = headers.get(SEC_WEBSOCKET_KEY)?;
    let accept = derive_accept_key(key.as_bytes());
    let accept = HeaderValue::try_from(accept).ok()?;
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = response.headers_mut();
    answer.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    answer.insert(UPGRADE, HeaderValue::from_static("websocket"));
    answer.insert(SEC_WEBSOCKET_ACCEPT, accept);
    if offers_mcp(headers) {
        answer.insert(
            SEC_WEBSOCKET_PROTOCOL,
            HeaderValue::from_static(SUBPROTOCOL),
        );
    }
    Some(response)
}

/// The answer to a client that asks for something else.
fn required() -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

impl<B> Service<Request<B>> for WebSocketService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let upgrade = hyper::upgrade::on(&mut request);
        let (parts, _) = request.into_parts();
        let opened = self.upgrade(parts, upgrade);
        ready(Ok(opened.unwrap_or_else(Rejection::response)))
    }
}

impl fmt::Debug for WebSocketService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSocketService")
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}
