//! The server's side: listening for clients.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

use super::attend::{Attendant, Manner, SUBPROTOCOL, offers_mcp};
use crate::error::ServeError;
use crate::limits::{MAX_CONNECTIONS, WEBSOCKET_HANDSHAKE_TIMEOUT};
use crate::server::listen::{Listener, ended, listen};
use crate::server::running::Running;
use crate::server::{Connected, Endpoint};
use crate::transport::TcpAddress;
use crate::transport::http::{Arrival, HttpOptions, check_caller};

/// An address at which WebSocket clients are served, each on a connection of its own.
///
/// Hosts and origins are checked as over HTTP: only this machine's are allowed unless the options
/// say otherwise. To serve WebSocket beside HTTP, see
/// [`websocket_service`](super::websocket_service).
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
        manner: Manner::default(),
        max_connections: MAX_CONNECTIONS,
    }
}

/// An address at which WebSocket clients are served; made by [`websocket_server`].
#[derive(Debug)]
pub struct WebSocketServer {
    address: TcpAddress,
    options: HttpOptions,
    manner: Manner,
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
        self.manner.max_frame_bytes = limit;
        self
    }

    /// How often clients are asked for a sign of life; every 30 seconds by default. One that gave
    /// none since it was last asked is given up.
    #[must_use]
    pub fn ping_every(mut self, period: Duration) -> Self {
        self.manner.ping = period;
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
        let door = Door {
            listener: self.address.bind().await.map_err(ServeError::Open)?,
            options: Arc::new(self.options),
            manner: self.manner,
        };
        listen(door, running, self.max_connections).await;
        Ok(())
    }
}

impl Connected for WebSocketServer {}

/// Where clients come in.
struct Door {
    listener: TcpListener,
    options: Arc<HttpOptions>,
    manner: Manner,
}

impl Listener for Door {
    type Client = Caller;

    async fn accept(&mut self) -> io::Result<Caller> {
        let (stream, addr) = self.listener.accept().await?;
        Ok(Caller {
            stream,
            addr,
            options: Arc::clone(&self.options),
            manner: self.manner,
        })
    }

    async fn serve(caller: Caller, running: Running, mut ending: watch::Receiver<bool>) {
        let attendant = Attendant {
            running,
            manner: caller.manner,
        };
        let accepted = tokio::select! {
            accepted = tokio::time::timeout(WEBSOCKET_HANDSHAKE_TIMEOUT, caller.accept()) => accepted,
            () = ended(&mut ending) => return,
        };
        match accepted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok((stream, arrival)) => attendant.attend(stream, arrival, ending).await,
            Err(error) => tracing::debug!(%error, "a handshake failed"),
        }
    }
}

/// A client that has yet to shake hands.
struct Caller {
    stream: TcpStream,
    addr: SocketAddr,
    options: Arc<HttpOptions>,
    manner: Manner,
}

impl Caller {
    #[allow(
        clippy::result_large_err,
        reason = "the library's callback has this type"
    )]
    async fn accept(self) -> io::Result<(WebSocketStream<TcpStream>, Arrival)> {
        self.stream.set_nodelay(true)?;
        let config = Some(self.manner.config());
        let mut came = None;
        let check = |request: &Request, response| {
            came = Some(request.clone().into_parts().0);
            check(&self.options, request, response)
        };
        let accepted = accept_hdr_async_with_config(self.stream, check, config).await;
        let stream = accepted.map_err(io::Error::other)?;
        let parts = came.ok_or(io::ErrorKind::UnexpectedEof)?;
        let peer_addr = Some(self.addr);
        Ok((stream, Arrival { parts, peer_addr }))
    }
}

/// Refuses clients that are not allowed, and agrees on the subprotocol.
#[allow(
    clippy::result_large_err,
    reason = "the library's callback has this type"
)]
fn check(
    options: &HttpOptions,
    request: &Request,
    mut response: Response,
) -> Result<Response, ErrorResponse> {
    if let Err(rejection) = check_caller(request.uri(), request.headers(), options) {
        let mut refusal = ErrorResponse::new(Some(rejection.to_string()));
        *refusal.status_mut() = StatusCode::FORBIDDEN;
        return Err(refusal);
    }
    if offers_mcp(request.headers()) {
        let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
        let headers = response.headers_mut();
        headers.insert(SEC_WEBSOCKET_PROTOCOL, subprotocol);
    }
    Ok(response)
}
