//! A server that listens by itself.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::connection::{self, HEALTH, Patience, Route, Site, health};
use super::options::HttpOptions;
use super::service::{HttpService, http_service};
use crate::connection::{Command, Commands};
use crate::error::ServeError;
use crate::limits::FOREVER;
use crate::limits::{ACCEPT_PAUSE, HEAD_TIMEOUT, LAST_ANSWERS_TIMEOUT, LINGER, MAX_CONNECTIONS};
use crate::server::Endpoint;
use crate::server::running::Running;
use crate::transport::TcpAddress;

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
/// see [`http_service`](crate::transport::http::http_service).
#[must_use]
pub fn http(address: impl Into<TcpAddress>) -> Http {
    let http = Http {
        address: address.into(),
        path: "/mcp".to_owned(),
        beside: Vec::new(),
        options: HttpOptions::default(),
        head_timeout: HEAD_TIMEOUT,
        max_connections: MAX_CONNECTIONS,
        linger: LINGER,
    };
    http.beside(|service| vec![(HEALTH.to_owned(), health(service.clone()))])
}

/// An address to serve HTTP at; made by [`http()`].
pub struct Http {
    address: TcpAddress,
    path: String,
    beside: Vec<Beside>,
    options: HttpOptions,
    head_timeout: Duration,
    max_connections: usize,
    linger: Duration,
}

/// What is served beside MCP at its path, once there is a service.
type Beside = Box<dyn FnOnce(&HttpService) -> Vec<(String, Route)> + Send>;

impl Http {
    /// The path that is served; `/mcp` unless set.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
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

    /// How long connections of HTTP/1 that were kept alive stay open once the end is asked for; 1
    /// second unless set, and never longer than the drain time. A request that comes on one of them
    /// is answered with 503 and `Connection: close`, so that the client knows that it was not
    /// served. Connections of HTTP/2 are told at once, by GOAWAY.
    #[must_use]
    pub fn linger(mut self, time: Duration) -> Self {
        self.linger = time;
        self
    }

    /// Serves more beside MCP at its path.
    pub(in crate::transport) fn beside(
        mut self,
        routes: impl FnOnce(&HttpService) -> Vec<(String, Route)> + Send + 'static,
    ) -> Self {
        self.beside.push(Box::new(routes));
        self
    }

    fn site(self, service: HttpService, drain: Duration) -> (TcpAddress, Site) {
        let patience = Patience {
            head: self.head_timeout.min(FOREVER),
            write: self.options.write_timeout.min(FOREVER),
            idle: self
                .head_timeout
                .max(self.options.keep_alive.saturating_mul(2))
                .min(FOREVER),
            linger: self.linger.min(drain).min(FOREVER),
        };
        let beside = self.beside.into_iter();
        let beside: Vec<_> = beside.flat_map(|routes| routes(&service)).collect();
        let site = Site::new(service, self.path, beside, patience);
        (self.address, site)
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("address", &self.address)
            .field("path", &self.path)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Endpoint for Http {
    /// New requests are refused with 503 once the end is asked for. Calls that are in flight when
    /// the drain time is over are answered with an error, within one second more.
    async fn run(self, running: Running) -> Result<(), ServeError> {
        let max_connections = self.max_connections;
        let service = http_service(running.server, self.options.clone());
        let (address, site) = self.site(service, running.limits.drain);
        let listening = Listening {
            listener: address.bind().await.map_err(ServeError::Open)?,
            site,
            max_connections,
            connections: JoinSet::new(),
            commands: running.commands,
        };
        listening.run(running.limits.drain).await;
        Ok(())
    }
}

struct Listening {
    listener: TcpListener,
    site: Site,
    max_connections: usize,
    connections: JoinSet<()>,
    commands: Commands,
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
                let ending = self.site.service().state.ending.subscribe();
                self.connections
                    .spawn(connection::serve(self.site.clone(), stream, addr, ending));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                // Most likely the process has no file descriptor left.
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }

    /// Refuses new requests, and lets those in flight finish. What is left of them then is answered
    /// with an error.
    async fn drain(mut self, within: Duration) {
        let deadline = Instant::now() + within.min(FOREVER);
        let ending = Arc::clone(&self.site.service().state.ending);
        self.site.service().shut_down();
        // Connections that came too late hold nothing up.
        let mut late = JoinSet::new();
        let never = watch::Sender::new(false);
        loop {
            tokio::select! {
                // No other connection is left.
                () = ending.closed() => break,
                Some(_) = self.connections.join_next() => {}
                Ok((stream, addr)) = self.listener.accept() => {
                    // It is told that the server ends.
                    let site = self.site.clone();
                    late.spawn(connection::serve(site, stream, addr, never.subscribe()));
                }
                command = self.commands.recv() => match command {
                    Some(Command::Abort) | None => return self.site.service().terminate(),
                    Some(_) => {}
                },
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        drop(self.listener);
        self.site.service().terminate();
        let answered = async {
            ending.closed().await;
            while late.join_next().await.is_some() {}
        };
        // A client that does not read is not waited for.
        let _ = tokio::time::timeout(LAST_ANSWERS_TIMEOUT, answered).await;
    }
}
