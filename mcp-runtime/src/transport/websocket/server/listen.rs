//! The server's side: listening for clients.

use std::future::IntoFuture;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

use super::attend::{Attendant, Manner, SUBPROTOCOL, ended, offers_mcp};
use crate::driver::{BoxFuture, Command, Peer};
use crate::error::ServeError;
use crate::server::{Endpoint, Server, ShutdownHandle, obey_signals};
use crate::transport::http::{Arrival, HttpAddress, HttpOptions, check_caller};

/// How long a client may take for its handshake.
const HANDSHAKE: Duration = Duration::from_secs(30);

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
pub fn websocket_server(address: impl Into<HttpAddress>) -> WebSocketServer {
    WebSocketServer {
        address: address.into(),
        options: HttpOptions::default(),
        manner: Manner::default(),
        max_connections: 10_000,
    }
}

/// An address at which WebSocket clients are served; made by [`websocket_server`].
#[derive(Debug)]
pub struct WebSocketServer {
    address: HttpAddress,
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
    type Serve = WebSocketServe;

    fn serve(self, server: Server) -> WebSocketServe {
        let (peer, commands) = Peer::channel();
        WebSocketServe {
            server,
            endpoint: self,
            peer,
            commands,
            drain: Duration::from_secs(10),
            signals: true,
        }
    }
}

/// A server that listens once it is awaited.
///
/// It ends when [`ShutdownHandle::shut_down`] is called, or when the process is asked to end by
/// SIGTERM or Ctrl-C; calls in flight may then finish within the drain time.
#[must_use = "nothing is served until this is awaited"]
#[derive(Debug)]
pub struct WebSocketServe {
    server: Server,
    endpoint: WebSocketServer,
    peer: Peer,
    commands: UnboundedReceiver<Command>,
    drain: Duration,
    signals: bool,
}

impl WebSocketServe {
    /// How long calls in flight may go on once the server ends; 10 seconds unless set.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.drain = timeout;
        self
    }

    /// Leaves SIGTERM and Ctrl-C to the program.
    pub fn without_signals(mut self) -> Self {
        self.signals = false;
        self
    }

    /// A handle that ends the server from elsewhere.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle::new(self.peer.clone())
    }

    async fn run(self) -> Result<(), ServeError> {
        let listener = self
            .endpoint
            .address
            .bind()
            .await
            .map_err(ServeError::Open)?;
        let door = Door {
            options: self.endpoint.options,
            attendant: Attendant {
                server: self.server,
                manner: Manner {
                    drain: self.drain,
                    ..self.endpoint.manner
                },
            },
        };
        let signals = async {
            if self.signals {
                obey_signals(&self.peer).await
            } else {
                std::future::pending().await
            }
        };
        tokio::select! {
            () = listen(listener, door, self.commands, self.endpoint.max_connections) => Ok(()),
            never = signals => match never.map_err(ServeError::Open)? {},
        }
    }
}

impl IntoFuture for WebSocketServe {
    type Output = Result<(), ServeError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

async fn listen(
    listener: TcpListener,
    door: Door,
    mut commands: UnboundedReceiver<Command>,
    max_connections: usize,
) {
    let ending = watch::Sender::new(false);
    let mut connections = JoinSet::new();
    loop {
        let room = connections.len() < max_connections && !*ending.borrow();
        tokio::select! {
            command = commands.recv() => match command {
                Some(Command::ShutDown) => drop(ending.send_replace(true)),
                _ => return,
            },
            accepted = listener.accept(), if room => match accepted {
                Ok((stream, addr)) => {
                    connections.spawn(door.clone().serve(stream, addr, ending.subscribe()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    // Most likely the process has no file descriptor left.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
        if *ending.borrow() && connections.is_empty() {
            return;
        }
    }
}

/// How a client is let in.
#[derive(Clone)]
struct Door {
    options: HttpOptions,
    attendant: Attendant,
}

impl Door {
    async fn serve(self, stream: TcpStream, addr: SocketAddr, mut ending: watch::Receiver<bool>) {
        let accepted = tokio::select! {
            accepted = tokio::time::timeout(HANDSHAKE, self.accept(stream, addr)) => accepted,
            () = ended(&mut ending) => return,
        };
        match accepted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok((stream, arrival)) => self.attendant.attend(stream, arrival, ending).await,
            Err(error) => tracing::debug!(%error, "a handshake failed"),
        }
    }

    #[allow(
        clippy::result_large_err,
        reason = "the library's callback has this type"
    )]
    async fn accept(
        &self,
        stream: TcpStream,
        addr: SocketAddr,
    ) -> io::Result<(WebSocketStream<TcpStream>, Arrival)> {
        stream.set_nodelay(true)?;
        let config = Some(self.attendant.manner.config());
        let mut came = None;
        let check = |request: &Request, response| {
            came = Some(request.clone().into_parts().0);
            self.check(request, response)
        };
        let accepted = accept_hdr_async_with_config(stream, check, config).await;
        let stream = accepted.map_err(io::Error::other)?;
        let parts = came.ok_or(io::ErrorKind::UnexpectedEof)?;
        let peer_addr = Some(addr);
        Ok((stream, Arrival { parts, peer_addr }))
    }

    /// Refuses clients that are not allowed, and agrees on the subprotocol.
    #[allow(
        clippy::result_large_err,
        reason = "the library's callback has this type"
    )]
    fn check(&self, request: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
        if let Err(rejection) = check_caller(request.uri(), request.headers(), &self.options) {
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
}
