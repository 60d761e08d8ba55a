//! Serving WebSocket clients at an address, or inside a program that already serves HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{
    CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tower_service::Service;

use super::frames::{WebSocket, config};
use crate::connection::Limits;
use crate::connection::frame_limit;
use crate::error::{Rejection, ServeError};
use crate::limits::{
    MAX_CONNECTIONS, MAX_FRAME_BYTES, WEBSOCKET_HANDSHAKE_TIMEOUT, WEBSOCKET_PING,
};
use crate::server::serve::listen::{ended, listen, serve_connection};
use crate::server::{Connected, Endpoint, Running, Server};
use crate::transport::TcpAddress;
use crate::transport::http::{
    Access, Exchange, Http, HttpOptions, HttpService, HttpState, ResponseBody, ResponseFuture,
    ResponseHeaders, Route, ServiceGuard, admit, authorize, http_service,
};

#[derive(Clone, Copy, Debug)]
struct ConnectionSettings {
    max_frame_bytes: usize,
    ping: Duration,
}

impl ConnectionSettings {
    fn check(self) -> Result<(), ServeError> {
        ServeError::check([
            ("max_frame_bytes", self.max_frame_bytes == 0),
            ("ping_every", self.ping.is_zero()),
        ])
    }
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self {
            max_frame_bytes: MAX_FRAME_BYTES,
            ping: WEBSOCKET_PING,
        }
    }
}

/// A request that opens a WebSocket.
struct Upgrade {
    io: OnUpgrade,
    exchange: Exchange,
    /// The sender's access, if it can end.
    access: Option<Access>,
}

impl Upgrade {
    /// Returns the response to a request and, if the response opens a WebSocket (RFC 6455, section
    /// 4.2), the upgrade that follows it.
    ///
    /// # Errors
    ///
    /// When the host or origin is not allowed, the method is not GET, or the access policy does not
    /// admit the caller.
    async fn accept(
        mut parts: Box<Parts>,
        peer_addr: Option<SocketAddr>,
        state: &HttpState,
    ) -> Result<(Response<ResponseBody>, Option<Self>), Rejection> {
        admit(state, &parts)?;
        if parts.method != Method::GET {
            return Err(Rejection::Method("GET"));
        }
        authorize(&state.options, &state.permits, &mut parts, peer_addr).await?;
        let added = ResponseHeaders::take(&mut parts).unwrap_or_default();
        let mut request = Request::from_parts(*parts, ());
        let upgrade = create_response_with_body(&request, ResponseBody::empty);
        let is_upgrade = upgrade.is_ok();
        let mut response = upgrade.unwrap_or_else(|_| upgrade_required());
        response.headers_mut().extend(*added);
        if !is_upgrade {
            return Ok((response, None));
        }
        if offers_mcp(request.headers()) {
            let subprotocol = HeaderValue::from_static("mcp");
            let headers = response.headers_mut();
            headers.insert(SEC_WEBSOCKET_PROTOCOL, subprotocol);
        }
        let io = hyper::upgrade::on(&mut request);
        let (parts, _) = request.into_parts();
        let exchange = Exchange::upgrade(parts, peer_addr);
        let access = Access::of(&exchange.arrival.parts, state.options.auth_timeout);
        let upgrade = Self {
            io,
            exchange,
            access,
        };
        Ok((response, Some(upgrade)))
    }

    /// Serves the client until it leaves, its access ends, or the server ends.
    async fn serve(
        self,
        settings: ConnectionSettings,
        mut running: Running,
        ending: watch::Receiver<bool>,
    ) {
        let io = match self.io.await {
            Ok(upgraded) => TokioIo::new(upgraded),
            Err(error) => return tracing::debug!(%error, "an upgrade failed"),
        };
        let config = Some(config(settings.max_frame_bytes));
        let stream = WebSocketStream::from_raw_socket(io, Role::Server, config).await;
        let socket = WebSocket::new(stream).ping_every(settings.ping);
        let code = Arc::clone(&socket.close_code);
        code.store(CloseCode::Away.into(), Ordering::Relaxed);
        running.peer = running.peer.identified(Arc::new(self.exchange));
        let handle = running.shutdown_handle();
        let mut serving = pin!(serve_connection(socket, running, ending));
        if let Some(access) = self.access {
            tokio::select! {
                () = &mut serving => return,
                () = access.end() => {
                    code.store(CloseCode::Policy.into(), Ordering::Relaxed);
                    handle.shut_down();
                }
            }
        }
        serving.await;
    }
}

/// Returns the response to a client that does not ask for a WebSocket.
fn upgrade_required() -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

/// Returns true if a client offers the subprotocol of MCP.
fn offers_mcp(headers: &HeaderMap) -> bool {
    headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().any(|value| {
        let mut offered = value.as_bytes().split(|byte| *byte == b',');
        offered.any(|name| name.trim_ascii().eq_ignore_ascii_case(b"mcp"))
    })
}

/// Serves WebSocket clients at an address, each on its own connection.
///
/// Hosts and origins are checked as over HTTP: only those of this machine are allowed unless the
/// options add others. To serve WebSocket together with HTTP, see [`Http::with_websocket`].
///
/// ```no_run
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::transport::websocket::websocket_server;
///
/// # struct Library;
/// # #[mcp_server] impl Library {}
/// #[mcp_runtime::main]
/// async fn main() -> Result<(), ServeError> {
///     Library.serve(websocket_server("127.0.0.1:8080")).await
/// }
/// ```
#[must_use]
pub fn websocket_server(address: impl Into<TcpAddress>) -> WebSocketServer {
    WebSocketServer {
        address: address.into(),
        options: HttpOptions::default(),
        settings: ConnectionSettings::default(),
        max_connections: MAX_CONNECTIONS,
    }
}

/// An address at which WebSocket clients are served; made by [`websocket_server`].
#[derive(Debug)]
pub struct WebSocketServer {
    address: TcpAddress,
    options: HttpOptions,
    settings: ConnectionSettings,
    max_connections: usize,
}

impl WebSocketServer {
    /// Sets which hosts, origins and callers are allowed ([`HttpOptions::auth`]). Options for
    /// requests and sessions have no effect here.
    #[must_use]
    pub fn options(mut self, options: HttpOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets how often clients get a ping; every 30 seconds by default. A connection is closed if
    /// nothing has been received since the last ping.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.settings.ping = period;
        self
    }

    /// Sets how many connections may be open; 10,000 by default. Other clients wait to be accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }
}

impl Endpoint for WebSocketServer {
    fn prepare(&mut self) -> Result<(), ServeError> {
        self.settings.check()?;
        ServeError::check([("max_connections", self.max_connections == 0)])?;
        self.options.check(None)
    }

    async fn run(self, running: Running) -> Result<(), ServeError> {
        let listener = self.address.bind().await.map_err(ServeError::Open)?;
        let address = listener.local_addr().map_err(ServeError::Open)?;
        let state = Arc::new(HttpState::new(running.server.clone(), self.options, true));
        let serve = move |accepted, running, ending| {
            serve_accepted(accepted, Arc::clone(&state), self.settings, running, ending)
        };
        let poll_accept = move |cx: &mut Context<'_>| listener.poll_accept(cx);
        listen(
            running,
            &format!("ws://{address}"),
            self.max_connections,
            poll_accept,
            serve,
        )
        .await;
        Ok(())
    }
}

impl Connected for WebSocketServer {}

/// Serves one TCP connection: a request over HTTP/1.1 and the WebSocket that it opens.
async fn serve_accepted(
    (stream, addr): (TcpStream, SocketAddr),
    state: Arc<HttpState>,
    settings: ConnectionSettings,
    running: Running,
    mut ending: watch::Receiver<bool>,
) {
    // This fails if the client has left, which reading will report.
    let _ = stream.set_nodelay(true);
    let opened = OnceLock::new();
    let answer = service_fn(|request: Request<Incoming>| {
        let opened = &opened;
        let state = &*state;
        let (parts, _) = request.into_parts();
        async move {
            let accepted = Upgrade::accept(Box::new(parts), Some(addr), state).await;
            let (mut response, upgrade) =
                accepted.unwrap_or_else(|rejection| (rejection.response(), None));
            match upgrade {
                Some(upgrade) => {
                    opened.get_or_init(|| upgrade);
                }
                None => {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(CONNECTION, close);
                }
            }
            Ok::<_, Infallible>(response)
        }
    });
    let handshake = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
    let handshake = tokio::time::timeout(WEBSOCKET_HANDSHAKE_TIMEOUT, handshake.with_upgrades());
    tokio::select! {
        outcome = handshake => if !matches!(outcome, Ok(Ok(()))) {
            return tracing::debug!(?outcome, "a handshake failed");
        },
        () = ended(&mut ending) => return,
    }
    if let Some(upgrade) = opened.into_inner() {
        upgrade.serve(settings, running, ending).await;
    }
}

/// Serves `server` over WebSocket at the path where the service is mounted, such as in axum's
/// `Router::route_service("/ws", service)`. To serve HTTP as well, use [`HttpService::websocket`].
///
/// Hosts, origins and callers are checked as over HTTP; options for requests and sessions have no
/// effect. Clients speak HTTP/1.1 until the upgrade, and the HTTP stack in front must support
/// upgrades, as axum and hyper do. Layers in front see the request that opens the connection, and
/// handlers see the values that the layers put into its extensions.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::http::HttpOptions;
/// use mcp_runtime::transport::websocket::websocket_service;
///
/// # async fn example() -> Result<(), mcp_runtime::ServeError> {
/// let server = Server::builder().build();
/// let service = websocket_service(server, HttpOptions::default());
/// let guard = service.start().await?;
/// // Mount `service`, and serve until the program ends.
/// guard.shut_down().await
/// # }
/// ```
#[must_use]
pub fn websocket_service(server: impl Into<Server>, options: HttpOptions) -> WebSocketService {
    http_service(server, options).websocket()
}

/// A server over WebSocket as a `tower::Service`; made by [`websocket_service`]. Clones share all
/// state.
#[derive(Clone, Debug)]
pub struct WebSocketService {
    http: HttpService,
    settings: ConnectionSettings,
}

frame_limit!(WebSocketServer, settings.max_frame_bytes);
frame_limit!(WebSocketService, settings.max_frame_bytes);

impl HttpService {
    /// Returns a service for the same server over WebSocket, to mount at a path such as `/ws`.
    #[must_use]
    pub fn websocket(&self) -> WebSocketService {
        WebSocketService {
            http: self.clone(),
            settings: ConnectionSettings::default(),
        }
    }
}

impl WebSocketService {
    /// Sets how often clients get a ping; every 30 seconds by default.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.settings.ping = period;
        self
    }

    /// Starts the server, as [`HttpService::start`] does.
    ///
    /// # Errors
    ///
    /// As [`HttpService::start`].
    pub async fn start(&self) -> Result<ServiceGuard, ServeError> {
        self.settings.check()?;
        self.http.start().await
    }

    async fn answer(&self, parts: Box<Parts>) -> Result<Response<ResponseBody>, Rejection> {
        let state = &self.http.state;
        let peer_addr = self.http.connection.peer_addr;
        let (response, upgrade) = Upgrade::accept(parts, peer_addr, state).await?;
        let ending = state.ending.subscribe();
        if *ending.borrow() {
            return Err(state.refusal());
        }
        if let Some(upgrade) = upgrade {
            let limits = Limits {
                drain: state.options.limits.drain,
                ..Limits::default()
            };
            let running = Running::new(state.server.clone(), limits);
            tokio::spawn(upgrade.serve(self.settings, running, ending));
        }
        Ok(response)
    }
}

impl Http {
    /// Also serves WebSocket clients, at a path such as `/ws`.
    pub fn with_websocket(self, path: impl Into<String>) -> Self {
        self.with_route("with_websocket", path.into(), |http| -> Route {
            let service = http.websocket();
            Box::new(move |request, connection| {
                let mut service = service.clone();
                service.http.connection = connection.clone();
                service.call(request)
            })
        })
    }
}

impl<B> Service<Request<B>> for WebSocketService {
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        let (parts, _) = request.into_parts();
        let parts = Box::new(parts);
        Box::pin(async move {
            let response = service.answer(parts).await;
            Ok(response.unwrap_or_else(Rejection::response))
        })
    }
}
