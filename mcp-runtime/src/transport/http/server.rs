//! A server that listens by itself.

use std::future::IntoFuture;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::address::HttpAddress;
use super::connection::{self, Site};
use super::options::HttpOptions;
use super::service::{HttpService, http_service};
use crate::driver::{BoxFuture, Command, Peer};
use crate::error::ServeError;
use crate::server::{Endpoint, Server, ShutdownHandle, obey_signals};

/// An address to serve HTTP at: `http://…/mcp`, in all revisions.
///
/// ```no_run
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::transport::http::http;
///
/// # struct Library;
/// # #[mcp_server] impl Library {}
/// #[mcp_runtime::main]
/// async fn main() -> Result<(), ServeError> {
///     Library.serve(http("127.0.0.1:8080")).await
/// }
/// ```
///
/// Only clients on the same machine are served until [`HttpOptions`] allow others. `GET /health`
/// tells whether the server takes requests. For TLS, or to mount the server beside other routes,
/// see [`http_service`](super::http_service).
#[must_use]
pub fn http(address: impl Into<HttpAddress>) -> Http {
    Http {
        address: address.into(),
        path: "/mcp".to_owned(),
        sse: false,
        options: HttpOptions::default(),
        head_timeout: Duration::from_secs(30),
        max_connections: 10_000,
    }
}

/// An address to serve HTTP at; made by [`http()`].
#[derive(Debug)]
pub struct Http {
    address: HttpAddress,
    path: String,
    sse: bool,
    options: HttpOptions,
    head_timeout: Duration,
    max_connections: usize,
}

impl Http {
    /// The path that is served; `/mcp` unless set.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Serves clients of revision 2024-11-05 as well, which know only its HTTP+SSE transport: they
    /// open `/sse`, and are told to post to `/messages`.
    #[must_use]
    pub fn with_sse(mut self) -> Self {
        self.sse = true;
        self
    }

    /// What is allowed, and how much of it.
    #[must_use]
    pub fn options(mut self, options: HttpOptions) -> Self {
        self.options = options;
        self
    }

    /// How long the head of a request may take, the wait for it on a connection that is kept open
    /// included; 30 seconds unless set. The connection is closed then.
    #[must_use]
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.head_timeout = timeout;
        self
    }

    /// How many connections may be open; 10,000 unless set. Others wait to be accepted.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }
}

impl Endpoint for Http {
    type Serve = HttpServe;

    fn serve(self, server: Server) -> HttpServe {
        let (peer, commands) = Peer::channel();
        HttpServe {
            service: http_service(server, self.options.clone()),
            http: self,
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
/// SIGTERM or Ctrl-C. New requests are then refused with 503, and those in flight may finish
/// within the drain time; a second signal ends them at once.
#[must_use = "nothing is served until this is awaited"]
#[derive(Debug)]
pub struct HttpServe {
    service: HttpService,
    http: Http,
    peer: Peer,
    commands: UnboundedReceiver<Command>,
    drain: Duration,
    signals: bool,
}

impl HttpServe {
    /// How long requests in flight may go on once the server ends; 10 seconds unless set.
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
        let listener = self.http.address.bind().await.map_err(ServeError::Open)?;
        let listening = Listening {
            listener,
            site: Site::new(
                self.service,
                self.http.path,
                self.http.sse,
                self.http.head_timeout,
            ),
            max_connections: self.http.max_connections,
            connections: JoinSet::new(),
            ending: watch::Sender::new(false),
            commands: self.commands,
        };
        let signals = async {
            if self.signals {
                obey_signals(&self.peer).await
            } else {
                std::future::pending().await
            }
        };
        tokio::select! {
            () = listening.run(self.drain) => Ok(()),
            never = signals => match never.map_err(ServeError::Open)? {},
        }
    }
}

impl IntoFuture for HttpServe {
    type Output = Result<(), ServeError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

struct Listening {
    listener: TcpListener,
    site: Site,
    max_connections: usize,
    connections: JoinSet<()>,
    ending: watch::Sender<bool>,
    commands: UnboundedReceiver<Command>,
}

impl Listening {
    async fn run(mut self, drain: Duration) {
        loop {
            let room = self.connections.len() < self.max_connections;
            tokio::select! {
                command = self.commands.recv() => match command {
                    Some(Command::ShutDown) | None => break,
                    Some(Command::Abort) => return self.site.service().terminate(),
                    Some(_) => {}
                },
                accepted = self.listener.accept(), if room => self.accepted(accepted).await,
                Some(_) = self.connections.join_next(), if !self.connections.is_empty() => {}
            }
        }
        self.drain(drain).await;
    }

    async fn accepted(
        &mut self,
        accepted: std::io::Result<(tokio::net::TcpStream, std::net::SocketAddr)>,
    ) {
        match accepted {
            Ok((stream, addr)) => {
                let ending = self.ending.subscribe();
                self.connections
                    .spawn(connection::serve(self.site.clone(), stream, addr, ending));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                // Most likely the process has no file descriptor left.
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// Refuses new requests, and lets those in flight finish.
    async fn drain(mut self, within: Duration) {
        let deadline = Instant::now() + within;
        self.site.service().shut_down();
        self.ending.send_replace(true);
        let mut late = JoinSet::new();
        while !self.connections.is_empty() {
            tokio::select! {
                Some(_) = self.connections.join_next() => {}
                Ok((stream, addr)) = self.listener.accept() => {
                    // It is told that the server ends.
                    let never = watch::Sender::new(false).subscribe();
                    late.spawn(connection::serve(self.site.clone(), stream, addr, never));
                }
                command = self.commands.recv() => match command {
                    Some(Command::Abort) | None => break,
                    Some(_) => {}
                },
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        self.site.service().terminate();
    }
}
