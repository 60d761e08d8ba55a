//! Serves a server at an endpoint, from start to shutdown. Defines [`McpServer`], the trait of types
//! that can be served.

use std::any::Any;
use std::future::{Future, IntoFuture};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::Extensions;

use super::signals::{SignalHandler, SignalSource, Signals};
use crate::connection::{ClientIdentity, Commands, Driver, Limits, Peer, Transport};
use crate::error::ServeError;
use crate::server::dispatch::ServerRole;
use crate::server::{BoxFuture, Server, ServerBuilder};

/// An endpoint that a server can be served at, such as a listener with many connections. Every
/// [`Transport`] is an endpoint with a single connection.
///
/// To support a new kind of connection, implement [`Transport`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an endpoint to serve at",
    label = "not an endpoint",
    note = "call the function of an endpoint: `stdio()`, `http(\"127.0.0.1:8080\")` or `tcp(\"127.0.0.1:8080\")`",
    note = "for an open listener of std, write `http(listener)`; for one of tokio, `http(listener.into_std()?)`",
    note = "a `Result` needs a `?` first: `tcp(\"127.0.0.1:8080\").bind().await?`"
)]
pub trait Endpoint: Send + 'static {
    /// Checks the settings before any hook runs and anything is opened.
    #[doc(hidden)]
    fn prepare(&mut self) -> Result<(), ServeError> {
        Ok(())
    }

    /// Returns how long to report after SIGTERM that the server is not ready, before it is shut down.
    #[doc(hidden)]
    fn ready_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Serves until the last connection has ended or the server is shut down.
    #[doc(hidden)]
    fn run(self, running: Running) -> impl Future<Output = Result<(), ServeError>> + Send;
}

/// An endpoint where each client has its own connection, so that limits apply to each connection.
pub trait Connected: Endpoint {}

#[diagnostic::do_not_recommend]
impl<T: Transport> Endpoint for T {
    async fn run(self, running: Running) -> Result<(), ServeError> {
        running.server.has_started("a single connection");
        running.serve(self).await
    }
}

impl<T: Transport> Connected for T {}

/// A server, the limits of its connections, and the queue of commands that control it.
#[derive(Debug)]
pub struct Running {
    pub(crate) server: Server,
    pub(crate) limits: Limits,
    /// Sends commands to the queue. On a single connection, this is also the handle to the client.
    pub(crate) peer: Peer,
    pub(crate) commands: Commands,
}

impl Running {
    pub(crate) fn new(server: Server, limits: Limits) -> Self {
        let (peer, commands) = Peer::channel();
        Self {
            server,
            limits,
            peer,
            commands,
        }
    }

    pub(crate) fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle {
            peer: self.peer.clone(),
        }
    }

    /// Opens a single connection and serves it until it ends.
    pub(crate) async fn serve<T: Transport>(self, transport: T) -> Result<(), ServeError> {
        let halves = transport.open().await.map_err(ServeError::Open)?;
        let lifecycle = self.server.lifecycle();
        let recorder = self.server.recorder();
        let role = ServerRole::new(self.server, lifecycle, self.peer);
        let driver = Driver::new(role, halves, self.commands, self.limits, recorder);
        let ended = driver.run().await;
        ended.map_err(ServeError::Connection)
    }
}

/// A server bound to an endpoint. Await it to serve.
///
/// Serving ends when the client closes a single connection, when [`ShutdownHandle::shut_down`] is
/// called, or on SIGTERM or Ctrl-C. New calls are then refused, and calls in flight may finish within
/// the drain timeout. A second signal ends them immediately. An HTTP server first closes its listener,
/// and may wait before that (`Http::ready_delay`).
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::memory;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let (client, server) = memory::pair();
/// let serving = Server::builder().build().serve(server).drain_timeout(Duration::from_secs(1));
/// drop(client);
/// serving.await.unwrap();
/// # });
/// ```
#[must_use = "nothing is served until this is awaited"]
#[derive(Debug)]
pub struct Serve<E> {
    endpoint: E,
    running: Running,
    signals: bool,
    run: fn(Self) -> BoxFuture<Result<(), ServeError>>,
}

impl Server {
    pub(crate) fn has_started(&self, place: &str) {
        let info = &self.settings().info;
        let name = &*info.name;
        let version = &*info.version;
        tracing::info!(name, version, place, "the server has started");
    }

    /// Serves a single connection until the client closes it, or all connections of a listener. In
    /// both cases a shutdown ends serving. Nothing is served until the returned value is awaited.
    pub fn serve<E: Endpoint>(&self, endpoint: E) -> Serve<E> {
        Serve {
            endpoint,
            running: Running::new(self.clone(), Limits::default()),
            signals: true,
            run: |serve| Box::pin(serve.run_with(Signals::listen)),
        }
    }
}

/// A server whose `on_start` hooks have run, and the values that the hooks returned.
#[derive(Debug)]
pub(crate) struct Started {
    server: Server,
    /// Dropped after `on_shutdown`.
    _values: Vec<Box<dyn Any + Send>>,
}

impl Server {
    /// Checks the server and runs its `on_start` hooks. Must be called before anything is served.
    ///
    /// # Errors
    ///
    /// Returns the first mistake in the settings, or the first error of a hook.
    pub(crate) async fn start(&self) -> Result<Started, ServeError> {
        self.settings().check()?;
        self.router().check_extensions()?;
        let values = self.settings().hooks.start(self).await;
        Ok(Started {
            server: self.clone(),
            _values: values.map_err(ServeError::Start)?,
        })
    }
}

impl Started {
    /// Runs the `on_shutdown` hooks. Must be called after everything has been served.
    ///
    /// # Errors
    ///
    /// Returns the first error of a hook. The other hooks run nevertheless.
    pub(crate) async fn shut_down(&mut self) -> Result<(), ServeError> {
        let hooks = &self.server.settings().hooks;
        hooks.shut_down().await.map_err(ServeError::Shutdown)
    }
}

impl<E: Endpoint> Serve<E> {
    /// Sets how long calls in flight may continue after a shutdown, or after their connection was
    /// closed. The default is 10 seconds.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.running.limits.drain = timeout;
        self
    }

    /// Sets whether SIGTERM and Ctrl-C shut the server down. The default is `true`. With `false`, the
    /// program has to handle the signals, as in builds without the feature `signal` (all server
    /// transports enable the feature).
    pub fn signals(mut self, handled: bool) -> Self {
        self.signals = handled;
        self
    }

    /// Returns a handle with which the server can be shut down.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        self.running.shutdown_handle()
    }

    /// Serves until the end. Calls `listen` to listen for signals after the server has started.
    pub(super) async fn run_with<S: SignalSource>(
        mut self,
        listen: impl FnOnce() -> io::Result<S>,
    ) -> Result<(), ServeError> {
        self.running.limits.check()?;
        self.endpoint.prepare()?;
        let mut started = self.running.server.start().await?;
        let (served, signals) = match self.signals.then(listen).transpose() {
            Ok(signals) => {
                let (peer, delay) = (self.running.peer.clone(), self.endpoint.ready_delay());
                let signals = signals.map(|signals| SignalHandler::new(peer, delay, signals));
                (self.endpoint.run(self.running).await, signals)
            }
            Err(error) => (Err(ServeError::Open(error)), None),
        };
        let signal = async {
            signals.as_ref()?.aborted().await;
            Some(())
        };
        tokio::select! {
            released = started.shut_down() => served.and(released),
            Some(()) = signal => {
                crate::log::warn!("`on_shutdown` was cut short by a second signal");
                served
            }
        }
    }
}

/// Limits of each connection. Over HTTP, where clients share connections, set the limits of the HTTP
/// endpoint instead.
impl<E: Connected> Serve<E> {
    /// Sets how long a client may take to read what it was sent before its connection is closed. The
    /// default is 60 seconds.
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.running.limits.write = timeout;
        self
    }

    /// Sets how many calls of one connection may be in flight. The default is 256. Further calls are
    /// refused immediately.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.running.limits.max_in_flight = calls;
        self
    }

    /// Sets how many levels deep the JSON of a message may nest. The default is 128.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.running.limits.max_depth = levels;
        self
    }
}

impl<T: Transport> Serve<T> {
    /// Sets the identity of the client, such as the credentials of a socket. Handlers get it with
    /// [`Context::identity`](crate::Context::identity). Only the first call has an effect.
    pub fn identity<I: Any + Clone + Send + Sync>(self, identity: I) -> Self {
        let mut extensions = Extensions::new();
        extensions.insert(identity);
        self.identified(Arc::new(extensions))
    }

    pub(crate) fn identified(mut self, identity: Arc<dyn ClientIdentity>) -> Self {
        self.running.peer = self.running.peer.identified(identity);
        self
    }
}

/// There is no bound `E: Endpoint`, so that the compiler reports a wrong type only once, at the call
/// of `serve`.
impl<E> IntoFuture for Serve<E> {
    type Output = Result<(), ServeError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        (self.run)(self)
    }
}

/// A handle that shuts a server down.
#[derive(Clone, Debug)]
pub struct ShutdownHandle {
    peer: Peer,
}

impl ShutdownHandle {
    /// Refuses new calls, waits up to the drain timeout for the calls in flight, then closes all
    /// connections.
    pub fn shut_down(&self) {
        self.peer.shut_down();
    }
}

/// A type whose functions are offered as tools, prompts and resources. Implemented by
/// `#[mcp_server]`.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Calculator;
///
/// #[mcp_server]
/// impl Calculator {
///     /// Adds two whole numbers.
///     #[tool]
///     fn add(&self, a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// let server = Calculator.into_server();
/// # drop(server);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a server",
    label = "has no `impl` block under `#[mcp_server]`, or can't be shared between threads"
)]
#[doc(alias("ServerHandler", "ServiceExt"))]
pub trait McpServer: Send + Sync + Sized + 'static {
    /// Registers the functions with `server`.
    fn register(self: Arc<Self>, server: &mut ServerBuilder);

    /// Returns a builder with the functions registered, to configure it further.
    fn into_builder(self) -> ServerBuilder {
        let mut builder = ServerBuilder::default();
        Arc::new(self).register(&mut builder);
        builder
    }

    /// Builds the server.
    fn into_server(self) -> Server {
        self.into_builder().build()
    }

    /// Serves a single connection until the client closes it, or all connections of a listener. In
    /// both cases a shutdown ends serving. Nothing is served until the returned value is awaited.
    fn serve<E: Endpoint>(self, endpoint: E) -> Serve<E> {
        self.into_server().serve(endpoint)
    }
}

/// The trait that `#[mcp_server]` implements.
///
/// Only one block of a type may have the plain attribute. The compiler's error about a second
/// implementation quotes the name of this trait, which tells the user what to do: put other blocks
/// under `#[mcp_server(group = name)]`, and list them in `groups` of the first block.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a server",
    label = "has no `impl` block under `#[mcp_server]`, or can't be shared between threads"
)]
pub trait OneMcpServerBlockTheOthersAreGroups: Send + Sync + Sized + 'static {
    /// Registers the functions with `server`.
    fn register(self: Arc<Self>, server: &mut ServerBuilder);
}

#[diagnostic::do_not_recommend]
impl<T: OneMcpServerBlockTheOthersAreGroups> McpServer for T {
    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        OneMcpServerBlockTheOthersAreGroups::register(self, server);
    }
}

/// A server that the program shares, for example with the state of its web framework.
#[diagnostic::do_not_recommend]
impl<T: McpServer> McpServer for Arc<T> {
    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        T::register(Arc::unwrap_or_clone(self), server);
    }
}

impl<T: McpServer> From<T> for Server {
    fn from(server: T) -> Self {
        server.into_server()
    }
}

impl From<&Self> for Server {
    fn from(server: &Self) -> Self {
        server.clone()
    }
}
