//! The server's side: listening for clients.

use std::future::IntoFuture;
use std::io;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_tungstenite::accept_hdr_async_with_config;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};

use super::WebSocket;
use super::frames::{DEFAULT_LIMIT, config};
use crate::driver::{BoxFuture, Command, Peer};
use crate::error::ServeError;
use crate::server::{Endpoint, Server, ShutdownHandle, obey_signals};
use crate::transport::http::{HttpAddress, HttpOptions, check_caller};

/// How long a client may take for its handshake.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// An address at which WebSocket clients are served, each on a connection of its own.
///
/// Hosts and origins are checked as over HTTP: only this machine's are allowed unless the options
/// say otherwise.
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
        max_frame_bytes: DEFAULT_LIMIT,
        max_connections: 10_000,
    }
}

/// An address at which WebSocket clients are served; made by [`websocket_server`].
#[derive(Debug)]
pub struct WebSocketServer {
    address: HttpAddress,
    options: HttpOptions,
    max_frame_bytes: usize,
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
        self.max_frame_bytes = limit;
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
        let client = Client {
            server: self.server,
            options: self.endpoint.options,
            max_frame_bytes: self.endpoint.max_frame_bytes,
            drain: self.drain,
        };
        let signals = async {
            if self.signals {
                obey_signals(&self.peer).await
            } else {
                std::future::pending().await
            }
        };
        tokio::select! {
            () = listen(listener, client, self.commands, self.endpoint.max_connections) => Ok(()),
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
    client: Client,
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
                Ok((stream, _)) => {
                    connections.spawn(client.clone().serve(stream, ending.subscribe()));
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

async fn ended(ending: &mut watch::Receiver<bool>) {
    // When the sender is gone, so is the server.
    let _ = ending.wait_for(|ending| *ending).await;
}

/// How each client is served.
#[derive(Clone)]
struct Client {
    server: Server,
    options: HttpOptions,
    max_frame_bytes: usize,
    drain: Duration,
}

impl Client {
    async fn serve(self, stream: TcpStream, mut ending: watch::Receiver<bool>) {
        let socket = tokio::select! {
            accepted = tokio::time::timeout(HANDSHAKE, self.accept(stream)) => accepted,
            () = ended(&mut ending) => return,
        };
        let socket = match socket.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(socket) => socket,
            Err(error) => {
                tracing::debug!(%error, "a handshake failed");
                return;
            }
        };
        let serve = self.server.serve(socket);
        let serve = serve.drain_timeout(self.drain).without_signals();
        let shutdown = serve.shutdown_handle();
        let mut serving = serve.into_future();
        let outcome = tokio::select! {
            outcome = &mut serving => outcome,
            () = ended(&mut ending) => {
                shutdown.shut_down();
                serving.await
            }
        };
        if let Err(error) = outcome {
            tracing::debug!(%error, "a connection ended badly");
        }
    }

    #[allow(
        clippy::result_large_err,
        reason = "the library's callback has this type"
    )]
    async fn accept(&self, stream: TcpStream) -> io::Result<WebSocket<TcpStream>> {
        stream.set_nodelay(true)?;
        let config = Some(config(self.max_frame_bytes));
        let check = |request: &Request, response| self.check(request, response);
        let accepted = accept_hdr_async_with_config(stream, check, config).await;
        accepted.map(WebSocket::new).map_err(io::Error::other)
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
        let name = "sec-websocket-protocol";
        let mut offers = request.headers().get_all(name).iter();
        let offers_mcp = offers.any(|offers| {
            let mut offers = offers.as_bytes().split(|byte| *byte == b',');
            offers.any(|offer| offer.trim_ascii() == b"mcp")
        });
        if offers_mcp {
            let headers = response.headers_mut();
            headers.insert(name, HeaderValue::from_static("mcp"));
        }
        Ok(response)
    }
}
