//! Serving WebSocket clients: at an address, or inside a program that serves HTTP already.

use std::convert::Infallible;
use std::fmt;
use std::future::{Ready, ready};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::handshake::server::ErrorResponse;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};
use tower_service::Service;

use super::frames::{WebSocket, config};
use crate::connection::Limits;
use crate::error::ServeError;
use crate::limits::{
    MAX_CONNECTIONS, MAX_FRAME_BYTES, WEBSOCKET_HANDSHAKE_TIMEOUT, WEBSOCKET_PING,
};
use crate::server::listen::{Listener, attend, ended, listen};
use crate::server::running::Running;
use crate::server::{Connected, Endpoint, Server};
use crate::transport::TcpAddress;
use crate::transport::http::{
    Arrival, Http, HttpOptions, Rejection, ResponseBody, Route, check_caller,
};

/// The subprotocol of MCP.
const SUBPROTOCOL: HeaderValue = HeaderValue::from_static("mcp");

/// Settings of each connection.
#[derive(Clone, Copy, Debug)]
struct Settings {
    max_frame_bytes: usize,
    ping: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_frame_bytes: MAX_FRAME_BYTES,
            ping: WEBSOCKET_PING,
        }
    }
}

/// Serves a client until it leaves or the server ends. `arrival` is the request that opened the
/// connection.
async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: WebSocketStream<S>,
    arrival: Arrival,
    ping: Duration,
    mut running: Running,
    ending: watch::Receiver<bool>,
) {
    let mut socket = WebSocket::new(stream).ping_every(ping);
    socket.close_code = CloseCode::Away;
    running.peer = running.peer.identified(Arc::new(arrival));
    attend(socket, running, ending).await;
}

/// An address at which WebSocket clients are served, each on a connection of its own.
///
/// Hosts and origins are checked as over HTTP: only this machine's are allowed unless the options
/// say otherwise. To serve WebSocket beside HTTP, see
/// [`websocket_service`].
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
        settings: Settings::default(),
        max_connections: MAX_CONNECTIONS,
    }
}

/// An address at which WebSocket clients are served; made by [`websocket_server`].
#[derive(Debug)]
pub struct WebSocketServer {
    address: TcpAddress,
    options: HttpOptions,
    settings: Settings,
    max_connections: usize,
}

impl WebSocketServer {
    /// Which hosts and origins are allowed; what concerns requests and sessions has no meaning
    /// here.
    #[must_use]
    pub fn options(mut self, options: HttpOptions) -> Self {
        self.options = options;
        self
    }

    /// The largest message that is accepted, in bytes; 16 MiB by default.
    #[must_use]
    pub fn max_frame_bytes(mut self, limit: usize) -> Self {
        self.settings.max_frame_bytes = limit;
        self
    }

    /// How often clients are asked for a sign of life; every 30 seconds by default. One that gave
    /// none since it was last asked is given up.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.settings.ping = period;
        self
    }

    /// How many connections may be open; 10,000 unless set. Others wait to be accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }
}

impl Endpoint for WebSocketServer {
    async fn run(self, running: Running) -> Result<(), ServeError> {
        let max_connections = self.max_connections;
        let listener = WebSocketListener {
            listener: self.address.bind().await.map_err(ServeError::Open)?,
            options: Arc::new(self.options),
            settings: self.settings,
        };
        listen(listener, running, max_connections).await;
        Ok(())
    }
}

impl Connected for WebSocketServer {}

struct WebSocketListener {
    listener: TcpListener,
    options: Arc<HttpOptions>,
    settings: Settings,
}

/// A TCP connection without a handshake.
struct Accepted {
    stream: TcpStream,
    addr: SocketAddr,
    options: Arc<HttpOptions>,
    settings: Settings,
}

impl Listener for WebSocketListener {
    type Client = Accepted;

    async fn accept(&mut self) -> io::Result<Accepted> {
        let (stream, addr) = self.listener.accept().await?;
        Ok(Accepted {
            stream,
            addr,
            options: Arc::clone(&self.options),
            settings: self.settings,
        })
    }

    async fn serve(client: Accepted, running: Running, mut ending: watch::Receiver<bool>) {
        let ping = client.settings.ping;
        let handshake = tokio::time::timeout(WEBSOCKET_HANDSHAKE_TIMEOUT, client.handshake());
        let opened = tokio::select! {
            opened = handshake => opened,
            () = ended(&mut ending) => return,
        };
        match opened.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok((stream, arrival)) => serve(stream, arrival, ping, running, ending).await,
            Err(error) => tracing::debug!(%error, "a handshake failed"),
        }
    }
}

impl Accepted {
    /// Opens the WebSocket. Clients that are not allowed are refused.
    #[allow(
        clippy::result_large_err,
        reason = "the library's callback has this type"
    )]
    async fn handshake(self) -> io::Result<(WebSocketStream<TcpStream>, Arrival)> {
        self.stream.set_nodelay(true)?;
        let config = Some(config(self.settings.max_frame_bytes));
        let mut opened = None;
        let check = |request: &Request<()>, mut response: Response<()>| {
            opened = Some(request.clone().into_parts().0);
            if let Err(rejection) = check_caller(request.uri(), request.headers(), &self.options) {
                let mut error = ErrorResponse::new(Some(rejection.to_string()));
                *error.status_mut() = StatusCode::FORBIDDEN;
                return Err(error);
            }
            if offers_mcp(request.headers()) {
                let headers = response.headers_mut();
                headers.insert(SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL);
            }
            Ok(response)
        };
        let accepted = accept_hdr_async_with_config(self.stream, check, config).await;
        let stream = accepted.map_err(io::Error::other)?;
        let parts = opened.ok_or(io::ErrorKind::UnexpectedEof)?;
        let peer_addr = Some(self.addr);
        Ok((stream, Arrival { parts, peer_addr }))
    }
}

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
        settings: Settings::default(),
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
    settings: Settings,
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
        self.settings.max_frame_bytes = limit;
        self
    }

    /// How often clients are asked for a sign of life; every 30 seconds by default.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.settings.ping = period;
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
        let Some(response) = switching_protocols(&parts) else {
            return Ok(upgrade_required());
        };
        let running = Running::new(self.server.clone(), self.limits);
        let arrival = Arrival {
            parts,
            peer_addr: self.peer_addr,
        };
        let Settings {
            max_frame_bytes,
            ping,
        } = self.settings;
        let ending = self.shared.ending.subscribe();
        // The connection outlives the service: nobody has asked for its end.
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let io = match upgrade.await {
                Ok(upgraded) => TokioIo::new(upgraded),
                Err(error) => return tracing::debug!(%error, "an upgrade failed"),
            };
            let config = Some(config(max_frame_bytes));
            let stream = WebSocketStream::from_raw_socket(io, Role::Server, config).await;
            serve(stream, arrival, ping, running, ending).await;
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
        self.with_routes(move |http| {
            let shared = Shared {
                options: http.state.options.clone(),
                ending: Arc::clone(&http.state.ending),
            };
            let service = WebSocketService {
                shared: Arc::new(shared),
                ..websocket_service(http.state.server.clone(), HttpOptions::default())
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

/// Returns the answer that opens a WebSocket (RFC 6455, section 4.2); `None` if the client does not
/// ask for one.
fn switching_protocols(parts: &Parts) -> Option<Response<ResponseBody>> {
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
        answer.insert(SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL);
    }
    Some(response)
}

/// Returns the answer to a client that does not ask for a WebSocket.
fn upgrade_required() -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    response
}

/// Whether a client offers the subprotocol of MCP.
fn offers_mcp(headers: &HeaderMap) -> bool {
    lists(headers, &SEC_WEBSOCKET_PROTOCOL, "mcp")
}

/// Whether a header is a list that contains `token`.
fn lists(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    headers.get_all(name).iter().any(|value| {
        let mut tokens = value.as_bytes().split(|byte| *byte == b',');
        tokens.any(|found| found.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
    })
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
