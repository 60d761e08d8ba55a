//! Serving one connection.

use std::any::Any;
use std::convert::Infallible;
use std::future::IntoFuture;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;

use super::role::ServerRole;
use super::signal::Signals;
use super::{BoxFuture, Server};
use crate::driver::{Command, Driver, Limits, Peer};
use crate::error::ServeError;
use crate::transport::Transport;

/// One connection to be served; await it to serve.
///
/// It ends when the peer closes the connection, when [`ShutdownHandle::shut_down`] is called, or
/// when the process is asked to end by SIGTERM or Ctrl-C. Calls in flight may then finish within
/// the drain time; a second signal ends them at once.
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
pub struct Serve<T> {
    server: Server,
    transport: T,
    peer: Peer,
    commands: UnboundedReceiver<Command>,
    limits: Limits,
    signals: bool,
}

impl<T: Transport> Serve<T> {
    pub(super) fn new(server: Server, transport: T) -> Self {
        let (peer, commands) = Peer::channel();
        Self {
            server,
            transport,
            peer,
            commands,
            limits: Limits::default(),
            signals: true,
        }
    }

    /// How long calls in flight may go on once the connection ends; 10 seconds unless set.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.limits.drain = timeout;
        self
    }

    /// How long the client may leave unread what it was sent; 60 seconds unless set. After that,
    /// the connection is closed.
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.limits.write = timeout;
        self
    }

    /// How many calls may be in flight; 256 unless set. One more is refused at once.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.limits.max_in_flight = calls;
        self
    }

    /// How deeply the JSON of a message may nest; 128 levels unless set.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.limits.max_depth = levels;
        self
    }

    /// Says who is at the other end, for handlers to find with
    /// [`Context::identity`](super::Context::identity). For programs that know, from the
    /// credentials of a socket perhaps. What is said first stays.
    pub fn identity<I: Any + Send + Sync>(self, identity: I) -> Self {
        self.peer.attach(Arc::new(identity));
        self
    }

    /// Leaves SIGTERM and Ctrl-C to the program.
    pub fn without_signals(mut self) -> Self {
        self.signals = false;
        self
    }

    /// A handle that ends the connection from elsewhere.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle::new(self.peer.clone())
    }

    async fn run(self) -> Result<(), ServeError> {
        let halves = self.transport.open().await.map_err(ServeError::Open)?;
        let role = ServerRole::new(self.server, self.peer.clone());
        let driver = Driver::new(role, halves, self.commands, self.limits);
        let signals = async {
            if self.signals {
                obey_signals(&self.peer).await
            } else {
                std::future::pending().await
            }
        };
        tokio::select! {
            end = driver.run() => end.map(drop).map_err(ServeError::Connection),
            never = signals => match never.map_err(ServeError::Open)? {},
        }
    }
}

impl<T: Transport> IntoFuture for Serve<T> {
    type Output = Result<(), ServeError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Ends a connection that is being served.
#[derive(Clone, Debug)]
pub struct ShutdownHandle {
    peer: Peer,
}

impl ShutdownHandle {
    /// A handle on whatever obeys the commands that are sent to `peer`.
    pub(crate) fn new(peer: Peer) -> Self {
        Self { peer }
    }

    /// Takes no new calls, lets those in flight finish within the drain time, then closes.
    pub fn shut_down(&self) {
        self.peer.shut_down();
    }
}

/// The first signal asks for the end, the second one insists.
pub(crate) async fn obey_signals(peer: &Peer) -> io::Result<Infallible> {
    let mut signals = Signals::listen()?;
    signals.next().await;
    tracing::info!("shutting down on a signal");
    peer.shut_down();
    signals.next().await;
    peer.abort();
    std::future::pending().await
}
