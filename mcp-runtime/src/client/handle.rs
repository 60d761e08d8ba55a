//! The handle to a server.

use std::fmt;
use std::sync::Arc;

use mcp_types::{Implementation, Revision, ServerCapabilities};
use tokio::sync::watch;

use super::ConnectError;
use super::connection::{
    Connection, ConnectionState, Connections, Open, Phase, WaitingCalls, usable,
};
use super::input::Roots;
use super::notifications::Notifications;
use super::state::ClientState;
use super::state::{Status, StatusWatch};
use super::supervisor::Supervisor;
use crate::error::CallError;
use crate::protocol::Negotiated;

/// A connection to a server. Cloning is cheap: the clones share it.
///
/// When the last clone is dropped, the connection is closed in the background;
/// [`close`](Self::close) waits until that is done.
///
/// ```
/// use mcp_runtime::{Client, Server};
/// use mcp_runtime::transport::memory;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let (ours, theirs) = memory::pair();
/// let serving = tokio::spawn(Server::builder().build().serve(theirs).into_future());
///
/// let client = Client::builder("example", "1.0.0").connect(ours).await?;
/// assert_eq!(client.server_info().unwrap().name, "mcp-server");
/// client.close().await;
/// # serving.await.unwrap().unwrap();
/// # Ok::<_, mcp_runtime::ConnectError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    state: Arc<ClientState>,
    current: watch::Receiver<ConnectionState>,
    waiting: WaitingCalls,
    closing: watch::Sender<bool>,
    /// Whether a lost connection is restored.
    reconnects: bool,
}

impl Client {
    /// Begins to supervise the first connection of a client. Later ones are opened by `open`.
    pub(super) fn start(
        state: Arc<ClientState>,
        open: Option<Open>,
        connection: Connection,
    ) -> Self {
        let reopening = open.zip(state.config.reconnect);
        let reconnects = reopening.is_some();
        let (sender, current) = watch::channel(ConnectionState::new(connection, 0));
        let (closing, until) = watch::channel(false);
        let waiting = WaitingCalls::new();
        let supervisor = Supervisor {
            reopening,
            current: sender,
            waiting: waiting.clone(),
            closing: until,
            roots: state.config.input.roots.as_ref().map(Roots::watch),
            state: Arc::clone(&state),
        };
        tokio::spawn(supervisor.run());
        Self {
            inner: Arc::new(Inner {
                state,
                current,
                waiting,
                closing,
                reconnects,
            }),
        }
    }

    pub(super) fn state(&self) -> &ClientState {
        &self.inner.state
    }

    /// Whether a lost connection is restored.
    pub(super) fn reconnects(&self) -> bool {
        self.inner.reconnects
    }

    /// The connection, once it can be used. A caller that `waits` asks for a try to restore it soon.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] when there is none.
    pub(super) async fn connection(&self, waits: bool) -> Result<Arc<Connection>, CallError> {
        let waits = waits && self.inner.reconnects;
        usable(self.inner.current.clone(), waits, Some(&self.inner.waiting)).await
    }

    /// The connection, once it can be used, without asking for a try to restore it.
    pub(super) async fn connection_without_demand(&self) -> Result<Arc<Connection>, CallError> {
        usable(self.inner.current.clone(), self.inner.reconnects, None).await
    }

    /// Whether there is a connection that can be used.
    pub(super) fn is_connected(&self) -> bool {
        self.inner.current.borrow().usable().is_some()
    }

    /// The error of a call that was not sent because there is no connection.
    pub(super) fn not_sent(&self) -> CallError {
        self.inner.current.borrow().not_sent()
    }

    /// Follows the connections after the current one.
    pub(crate) fn connections(&self) -> Connections {
        Connections::after(self.inner.current.clone())
    }

    /// The terms of the newest connection.
    #[must_use]
    pub fn negotiated(&self) -> Arc<Negotiated<ServerCapabilities>> {
        let connection = Arc::clone(&self.inner.current.borrow().connection);
        let channel = &connection.channel;
        let newest = channel.with(|lifecycle| lifecycle.negotiated().cloned());
        newest.unwrap_or_else(|| Arc::clone(&connection.negotiated))
    }

    /// The negotiated revision, which a reconnection may change.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.negotiated().revision
    }

    /// The name and version that the server gives. Not verified: for display and logs, not for
    /// decisions.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.negotiated().peer_info.clone()
    }

    /// The capabilities of the server; requests that need others fail without being sent.
    #[must_use]
    pub fn server_capabilities(&self) -> ServerCapabilities {
        self.negotiated().peer_capabilities.clone()
    }

    /// Instructions for models that use the server.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.negotiated().instructions.clone()
    }

    /// The status of the connection.
    #[must_use]
    pub fn status(&self) -> Status {
        self.inner.state.status.current()
    }

    /// The reason why the connection was lost, or could not be restored; `None` while there is one,
    /// and once this side has closed it.
    #[must_use]
    pub fn lost_because(&self) -> Option<Arc<ConnectError>> {
        self.inner.current.borrow().cause.clone()
    }

    /// Follows the status of the connection.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) {
    /// let mut status = client.watch_status();
    /// while let Some(now) = status.changed().await {
    ///     println!("{now}"); // "connected, operating"
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn watch_status(&self) -> StatusWatch {
        self.inner.state.status.watch()
    }

    /// The server's notifications from now on. A reader that falls behind by more than 256 misses the
    /// oldest.
    #[must_use]
    pub fn notifications(&self) -> Notifications {
        self.inner.state.dispatcher.subscribe()
    }

    /// Waits until the connection is lost for good, or closed, and returns the reason.
    pub(super) async fn given_up(&self) -> CallError {
        let mut current = self.inner.current.clone();
        let is_lost =
            |state: &ConnectionState| matches!(state.phase, Phase::GivenUp | Phase::Closed);
        let found = current.wait_for(is_lost).await;
        // Fails when the task was dropped with its runtime.
        found.map_or(CallError::Closed, |state| state.lost())
    }

    /// Closes the connection, and waits until everything is released. Calls that still wait for
    /// an answer fail with [`CallError::Closed`].
    pub async fn close(&self) {
        self.inner.closing.send_replace(true);
        let mut current = self.inner.current.clone();
        // Fails when the task was dropped with its runtime.
        let _ = current.wait_for(|state| state.phase == Phase::Closed).await;
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
