//! Serving, from start to end.

use std::any::Any;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use super::endpoint::{Connected, Endpoint};
use super::running::Running;
use super::signal::{Obeying, Signals, one_more};
use super::{BoxFuture, Server};
use crate::connection::{Limits, Peer};
use crate::error::ServeError;
use crate::transport::Transport;

/// A server in its place; await it to serve.
///
/// On one connection, it ends when the client closes it. In any place, it ends when
/// [`ShutdownHandle::shut_down`] is called, or when the process is asked to end by SIGTERM or
/// Ctrl-C: no new calls are taken, and those in flight may finish within the drain time. A second
/// signal ends them at once.
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
}

impl<E: Endpoint> Serve<E> {
    pub(super) fn new(server: Server, endpoint: E) -> Self {
        Self {
            endpoint,
            running: Running::new(server, Limits::default()),
            signals: true,
        }
    }

    /// How long calls in flight may go on once the end is asked for, or their connection is closed;
    /// 10 seconds unless set.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.running.limits.drain = timeout;
        self
    }

    /// Leaves SIGTERM and Ctrl-C to the program, as a build does without the feature `signal`, which
    /// all transports of servers bring.
    pub fn without_signals(mut self) -> Self {
        self.signals = false;
        self
    }

    /// A handle that ends the server from elsewhere.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        self.running.shutdown_handle()
    }

    async fn run(self) -> Result<(), ServeError> {
        let server = self.running.server.clone();
        let hooks = server.hooks();
        hooks.start().await?;
        let (served, mut obeying) = match self.signals.then(Signals::listen).transpose() {
            Ok(signals) => {
                let obeying = signals.map(|it| Obeying::new(it, self.running.peer.clone()));
                (self.endpoint.run(self.running).await, obeying)
            }
            Err(error) => (Err(ServeError::Open(error)), None),
        };
        tokio::select! {
            released = hooks.shut_down() => served.and(released),
            () = one_more(&mut obeying) => {
                tracing::warn!("`on_shutdown` was cut short by a signal");
                served
            }
        }
    }
}

/// What one connection may use. Over HTTP, where a client has no connection of its own, its options
/// say such things.
impl<E: Connected> Serve<E> {
    /// How long a client may leave unread what it was sent; 60 seconds unless set. After that, its
    /// connection is closed.
    pub fn write_timeout(mut self, timeout: Duration) -> Self {
        self.running.limits.write = timeout;
        self
    }

    /// How many calls of one connection may be in flight; 256 unless set. One more is refused at
    /// once.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.running.limits.max_in_flight = calls;
        self
    }

    /// How deeply the JSON of a message may nest; 128 levels unless set.
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.running.limits.max_depth = levels;
        self
    }
}

impl<T: Transport> Serve<T> {
    /// Says who is at the other end, for handlers to find with
    /// [`Context::identity`](super::Context::identity). For programs that know, from the
    /// credentials of a socket perhaps. What is said first stays.
    pub fn identity<I: Any + Send + Sync>(self, identity: I) -> Self {
        self.running.peer.attach(Arc::new(identity));
        self
    }
}

impl<E: Endpoint> IntoFuture for Serve<E> {
    type Output = Result<(), ServeError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Ends what is being served.
#[derive(Clone, Debug)]
pub struct ShutdownHandle {
    peer: Peer,
}

impl ShutdownHandle {
    /// A handle on whatever obeys the commands that are sent to `peer`.
    pub(super) fn new(peer: Peer) -> Self {
        Self { peer }
    }

    /// Takes no new calls, lets those in flight finish within the drain time, then closes.
    pub fn shut_down(&self) {
        self.peer.shut_down();
    }
}
