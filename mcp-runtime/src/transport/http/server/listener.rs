//! An HTTP server with its own listener.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::uri::PathAndQuery;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::connection::{Route, Site};
use super::options::HttpOptions;
use super::policy::{AccessPolicy, Policy};
use super::service::HttpService;
use super::state::HttpState;
use crate::connection::{Command, Commands};
use crate::error::ServeError;
use crate::limits::{
    ACCEPT_PAUSE, FOREVER, HEAD_TIMEOUT, LAST_ANSWERS_TIMEOUT, LINGER, MAX_CONNECTIONS,
};
use crate::server::{Endpoint, Running};
use crate::store::{Bus, KeyValue};
use crate::transport::TcpAddress;

/// Serves HTTP at an address, as `http://…/mcp`, in all revisions.
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
/// Only clients on the same machine are served until [`HttpOptions`] allow others. For TLS, or to
/// mount the server next to other routes, see
/// [`http_service`](crate::transport::http::http_service).
///
/// `GET /ready` is for load balancers: the answer is 200, and 503 from SIGTERM or another shutdown
/// on. `GET /health` is 200 until the process ends. Both also answer HEAD, for any `Host`, without
/// the access policy.
pub fn http(address: impl Into<TcpAddress>) -> Http {
    Http {
        address: address.into(),
        path: "/mcp".to_owned(),
        routes: Vec::new(),
        options: HttpOptions::default(),
        policy: Policy::default(),
        store: None,
        bus: None,
        head_timeout: HEAD_TIMEOUT,
        max_connections: MAX_CONNECTIONS,
        linger: LINGER,
        ready_delay: Duration::ZERO,
    }
}

/// An address to serve HTTP at; made by [`http()`].
#[must_use]
pub struct Http {
    address: TcpAddress,
    path: String,
    routes: Vec<NewRoute>,
    options: HttpOptions,
    /// The policy set with [`auth`](Self::auth) rather than in the options.
    policy: Policy,
    /// The store and the bus set here rather than in the options.
    store: Option<Arc<dyn KeyValue>>,
    bus: Option<Arc<dyn Bus>>,
    head_timeout: Duration,
    max_connections: usize,
    linger: Duration,
    ready_delay: Duration,
}

/// An additional route: the setting that adds it, its path, and a function that makes it from the
/// service.
type NewRoute = (
    &'static str,
    String,
    Box<dyn FnOnce(&HttpService) -> Route + Send>,
);

impl Http {
    /// Sets the path of MCP; `/mcp` by default. A missing slash at the beginning is added.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = absolute(path.into());
        self
    }

    /// Sets the allowed callers, limits and other options.
    pub fn options(mut self, options: HttpOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets who may call, at all paths except `/health` and `/ready`: MCP, [HTTP+SSE](Self::with_sse) and
    /// [WebSocket](Self::with_websocket). This policy takes precedence over [`HttpOptions::auth`],
    /// whether the options are set before or after.
    ///
    /// ```no_run
    /// use mcp_runtime::prelude::*;
    /// use mcp_runtime::transport::http::{HttpOptions, http};
    /// # use http::request::Parts;
    /// # use mcp_runtime::transport::http::{AccessDenied, AccessPolicy};
    ///
    /// # struct Library;
    /// # #[mcp_server] impl Library {}
    /// # struct Tokens;
    /// # impl AccessPolicy for Tokens {
    /// #     async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> { Ok(()) }
    /// # }
    /// # async fn example() -> Result<(), ServeError> {
    /// let options = HttpOptions::default().allowed_hosts(["mcp.example.com"]);
    /// Library.serve(http("0.0.0.0:8080").auth(Tokens).options(options)).await
    /// # }
    /// ```
    pub fn auth(mut self, policy: impl AccessPolicy) -> Self {
        self.policy = Policy::new(policy);
        self
    }

    /// Sets the store of sessions, which replicas share. Takes precedence over
    /// [`HttpOptions::store`], whether the options are set before or after.
    pub fn store(mut self, store: impl KeyValue) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Sets the bus over which replicas reach each other. Takes precedence over
    /// [`HttpOptions::bus`], whether the options are set before or after.
    pub fn bus(mut self, bus: impl Bus) -> Self {
        self.bus = Some(Arc::new(bus));
        self
    }

    /// Sets how long the head of a request may take, including the wait for a request on a
    /// connection that is new or kept open; 30 seconds by default. Then the connection is closed.
    /// Between requests, connections of HTTP/2 stay open for twice
    /// [`keep_alive`](HttpOptions::keep_alive) if that is longer.
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.head_timeout = timeout;
        self
    }

    /// Sets how many connections may be open; 10,000 by default. Other clients wait to be accepted.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.max_connections = connections;
        self
    }

    /// Sets how long the server still serves open connections after it has closed its listener; 1
    /// second by default, and never longer than the drain time. A proxy that was about to send a
    /// request on an idle connection still gets its answer, over HTTP/1 with `Connection: close`.
    /// Connections of HTTP/2 get GOAWAY immediately. After this time, idle connections are closed,
    /// and new requests are refused with 503.
    pub fn linger(mut self, time: Duration) -> Self {
        self.linger = time;
        self
    }

    /// Sets how long the server goes on as usual after SIGTERM, while `GET /ready` is already
    /// answered with 503; no time by default. Load balancers that probe `/ready` need this time to
    /// notice. A second signal ends it early. Ctrl-C and
    /// [`ShutdownHandle`](crate::server::ShutdownHandle) have no delay.
    ///
    /// ```
    /// use std::time::Duration;
    /// use mcp_runtime::transport::http::http;
    ///
    /// // Three probes, one every 2 seconds, and a margin.
    /// let endpoint = http("0.0.0.0:8080").ready_delay(Duration::from_secs(7));
    /// # drop(endpoint);
    /// ```
    pub fn ready_delay(mut self, time: Duration) -> Self {
        self.ready_delay = time;
        self
    }

    /// Adds a route. Errors about its path name `setting`.
    pub(crate) fn with_route(
        mut self,
        setting: &'static str,
        path: String,
        make: impl FnOnce(&HttpService) -> Route + Send + 'static,
    ) -> Self {
        self.routes.push((setting, absolute(path), Box::new(make)));
        self
    }

    /// Checks that each path can be requested and has only one service.
    fn check_paths(&self) -> Result<(), ServeError> {
        let mut taken = vec!["/health", "/ready"];
        let routes = self
            .routes
            .iter()
            .map(|(setting, path, _)| (*setting, &**path));
        for (setting, path) in [("path", &*self.path)].into_iter().chain(routes) {
            let parsed = path.parse::<PathAndQuery>();
            let is_path = path.is_ascii() && parsed.is_ok_and(|it| it.path() == path);
            if !is_path || taken.contains(&path) {
                let reason = format!("{path:?} is not a path, or another service already uses it");
                return Err(ServeError::setting(setting, reason));
            }
            taken.push(path);
        }
        Ok(())
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

impl Http {
    /// Makes the routes to `service`.
    fn site(&mut self, service: &HttpService) -> Site {
        let routes = std::mem::take(&mut self.routes).into_iter();
        let routes = routes.map(|(_, path, make)| (path, make(service)));
        let keep_alive = self.options.keep_alive;
        Site {
            service: service.clone(),
            path: std::mem::take(&mut self.path),
            routes: routes.collect(),
            head_timeout: self.head_timeout.min(FOREVER),
            idle_timeout: self
                .head_timeout
                .max(keep_alive.saturating_mul(2))
                .min(FOREVER),
            is_ready: AtomicBool::new(true),
            is_closing: watch::Sender::new(false),
        }
    }
}

impl Endpoint for Http {
    fn prepare(&mut self) -> Result<(), ServeError> {
        if self.policy.is_set() {
            self.options.policy = std::mem::take(&mut self.policy);
        }
        if let Some(store) = self.store.take() {
            self.options.store = store;
        }
        if self.bus.is_some() {
            self.options.bus = self.bus.take();
        }
        ServeError::check([
            ("head_timeout", self.head_timeout.is_zero()),
            ("max_connections", self.max_connections == 0),
        ])?;
        self.check_paths()?;
        self.options.check(Some(&self.path))
    }

    fn ready_delay(&self) -> Duration {
        self.ready_delay
    }

    /// Once shutdown begins, closes the listener, serves open connections for the linger time, and
    /// then refuses new requests with 503. Calls still in flight at the end of the drain time are
    /// answered with an error, within one more second.
    async fn run(mut self, mut running: Running) -> Result<(), ServeError> {
        let drain = running.limits.drain.min(FOREVER);
        self.options.limits.drain = running.limits.drain;
        let state = HttpState::new(running.server, self.options.clone(), true);
        let service = HttpService::new(state);
        let _replicas = service.state.join_replicas()?;
        let site = Arc::new(self.site(&service));
        let listener = open(self.address, &service, &site.path).await?;
        let mut connections = JoinSet::new();
        let commands = &mut running.commands;
        let max = self.max_connections;
        if !accept(&listener, max, &site, &mut connections, commands).await {
            service.terminate();
            return Ok(());
        }
        // A proxy that can't connect sends its request to another replica.
        for (stream, addr) in backlog(listener) {
            site.spawn(&mut connections, stream, addr);
        }
        site.is_ready.store(false, Ordering::Relaxed);
        site.is_closing.send_replace(true);
        let ending = &service.state.ending;
        let stages = async {
            tokio::time::sleep(self.linger.min(drain)).await;
            service.shut_down();
            tokio::time::sleep(drain).await;
        };
        tokio::select! {
            () = stages => {}
            () = ending.closed() => {}
            () = aborted(commands) => {
                service.terminate();
                return Ok(());
            }
        }
        service.shut_down();
        service.terminate();
        let answered = async {
            ending.closed().await;
            while connections.join_next().await.is_some() {}
        };
        // Don't wait for clients that do not read.
        let _ = tokio::time::timeout(LAST_ANSWERS_TIMEOUT, answered).await;
        Ok(())
    }
}

/// Accepts connections until a shutdown, at most `max_connections` at the same time. Returns false
/// if the server is aborted.
async fn accept(
    listener: &TcpListener,
    max_connections: usize,
    site: &Arc<Site>,
    connections: &mut JoinSet<()>,
    commands: &mut Commands,
) -> bool {
    loop {
        let has_room = connections.len() < max_connections;
        tokio::select! {
            command = commands.recv() => match command {
                Some(Command::NotReady) => site.is_ready.store(false, Ordering::Relaxed),
                Some(Command::ShutDown) | None => return true,
                Some(Command::Abort) => return false,
                Some(_) => {}
            },
            accepted = listener.accept(), if has_room => match accepted {
                Ok((stream, addr)) => site.spawn(connections, stream, addr),
                Err(error) => {
                    crate::log::warn!(%error, "a connection could not be accepted");
                    // The most likely cause is that the process has no file descriptors left.
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Waits until the server is aborted.
async fn aborted(commands: &mut Commands) {
    while !matches!(commands.recv().await, Some(Command::Abort) | None) {}
}

/// Adds a slash to the beginning of a path if it is missing.
fn absolute(path: String) -> String {
    if path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    }
}

/// Opens the listener, and announces the server's URL.
async fn open(
    address: TcpAddress,
    service: &HttpService,
    path: &str,
) -> Result<TcpListener, ServeError> {
    let listener = address.bind().await.map_err(ServeError::Open)?;
    if let Ok(address) = listener.local_addr() {
        let place = format!("http://{address}{path}");
        service.state.server.listens(&place);
    }
    Ok(listener)
}

/// Closes the listener, and returns the connections that were waiting to be accepted and would
/// otherwise be reset.
fn backlog(listener: TcpListener) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
    let listener = listener.into_std().ok();
    let accept = move || {
        let (stream, addr) = listener.as_ref()?.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, addr))
    };
    std::iter::from_fn(accept).take(MAX_CONNECTIONS)
}
