//! The handle to a server.

use std::path::Path;
use std::sync::Arc;
use std::{env, fmt};

use mcp_types::{
    Implementation, InputRequest, InputRequiredResult, OrderedMap, RawJson, Revision,
    ServerCapabilities,
};
use tokio::sync::watch;

use super::config::Config;
use super::state::{ClientState, Notifications, Status, StatusWatch};
use super::supervisor::{Connection, ConnectionState, Open, Phase, Supervisor};
use super::{ClientBuilder, ConnectError};
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
    /// Number of the last try to restore the connection that a call has requested.
    demand: watch::Sender<u64>,
    /// True if a lost connection is restored.
    reconnects: bool,
}

impl Client {
    /// Begins a client with a name and a version of its own.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            config: Config::new(Implementation::new(name, version)),
        }
    }

    /// Connects to the server under `url` by Streamable HTTP, with all settings as they are by
    /// default. The client has the name of the program's file, and the version `0.0.0`.
    ///
    /// [`Client::builder`] is for a name and settings of your own, and for other transports.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_runtime::Client;
    /// use serde_json::json;
    ///
    /// let client = Client::connect("http://127.0.0.1:3000/mcp").await?;
    /// let sum: i64 = client.call("add", json!({"a": 2, "b": 3})).await?;
    /// # drop(sum);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; everything is closed again.
    #[cfg(feature = "http-client")]
    pub async fn connect(url: impl Into<String>) -> Result<Self, ConnectError> {
        let program = env::args_os().next();
        let name = program.as_deref().and_then(|it| Path::new(it).file_stem());
        let name = name.map(|name| name.to_string_lossy().into_owned());
        let client = Self::builder(name.as_deref().unwrap_or("mcp-client"), "0.0.0");
        client
            .connect(crate::transport::http_client::http_client(url))
            .await
    }

    /// Begins to supervise the first connection of a client. Later ones are opened by `open`.
    pub(super) fn start(
        state: Arc<ClientState>,
        open: Option<Open>,
        connection: Connection,
    ) -> Self {
        let reopening = open.zip(state.config.reconnect);
        let reconnects = reopening.is_some();
        let (sender, current) = watch::channel(ConnectionState {
            phase: Phase::Connected,
            connection: Arc::new(connection),
            number: 0,
            tries: 0,
            cause: None,
        });
        let demand = watch::Sender::new(0);
        let supervisor = Supervisor {
            reopening,
            current: sender,
            demand: demand.subscribe(),
            state: Arc::clone(&state),
        };
        let roots = state.config.input.roots.as_ref();
        tokio::spawn(supervisor.run(roots.map(|roots| roots.list.subscribe())));
        Self {
            inner: Arc::new(Inner {
                state,
                current,
                demand,
                reconnects,
            }),
        }
    }

    pub(super) fn state(&self) -> &ClientState {
        &self.inner.state
    }

    /// Finds the client again, unless it is gone; does not keep its connection open.
    pub(super) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<> {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade()?;
            Some(Self { inner })
        }
    }

    /// Returns the usable connection. A caller that `waits` requests a prompt try to restore it.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] when there is none.
    pub(super) async fn connection(&self, waits: bool) -> Result<Arc<Connection>, CallError> {
        self.usable(waits && self.inner.reconnects, true).await
    }

    /// Waits for a connection that can be used, until the last try to restore it has failed. With
    /// `demands`, asks for a try soon.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] when there is none, or at once unless the caller `waits`.
    pub(super) async fn usable(
        &self,
        waits: bool,
        demands: bool,
    ) -> Result<Arc<Connection>, CallError> {
        let mut current = self.inner.current.clone();
        let mut before = None;
        loop {
            {
                let state = current.borrow_and_update();
                if let Some(connection) = state.usable() {
                    return Ok(connection);
                }
                let tried = state.tries > *before.get_or_insert(state.tries);
                let given_up = state.phase == Phase::GivenUp && (tried || !demands);
                if !waits || state.phase == Phase::Closed || given_up {
                    return Err(state.not_sent());
                }
                if demands {
                    let next = state.tries + 1;
                    let demand = &self.inner.demand;
                    demand.send_modify(|demand| *demand = next.max(*demand));
                }
            }
            let changed = current.changed().await;
            changed.map_err(|_| CallError::not_sent(None))?;
        }
    }

    /// The newest connection, and whether it can be used.
    pub(super) fn current(&self) -> &watch::Receiver<ConnectionState> {
        &self.inner.current
    }

    /// The outcome of negotiation of the newest connection.
    #[must_use]
    pub fn negotiated(&self) -> Arc<Negotiated<ServerCapabilities>> {
        let connection = Arc::clone(&self.inner.current.borrow().connection);
        let newest = connection.channel.negotiated();
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

    /// Returns true if an extension is active on the newest connection: this client
    /// [has it](super::ClientBuilder::extension) in the negotiated revision, and the server has declared it.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        let negotiated = self.negotiated();
        let mut active = self.state().config.extensions.active(&negotiated);
        active.any(|extension| extension.id() == id)
    }

    /// Answers questions of the server that have come in another way than by the protocol, as those of
    /// an extension do: by the [handlers](super::ClientBuilder::on_form) of the client, all at the
    /// same time. `method` is the one that they belong to, for errors.
    ///
    /// # Errors
    ///
    /// [`CallError::InputRequired`] with all of them, none of which is asked, if there is no handler
    /// for one; [`CallError::Unanswered`] if a handler fails.
    pub async fn answer(
        &self,
        method: &str,
        requests: OrderedMap<InputRequest>,
    ) -> Result<OrderedMap<RawJson>, CallError> {
        let required = InputRequiredResult::new().with_input_requests(requests);
        let input = &self.state().config.input;
        let responses = input.respond(method, required, self.revision()).await?;
        Ok(responses.input_responses.unwrap_or_default())
    }

    /// The status of the connection.
    #[must_use]
    pub fn status(&self) -> Status {
        *self.inner.state.status.borrow()
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
        StatusWatch(self.inner.state.status.subscribe())
    }

    /// The server's notifications from now on. A reader that falls behind by more than 256 misses
    /// the oldest.
    #[must_use]
    pub fn notifications(&self) -> Notifications {
        Notifications(self.inner.state.notifications.subscribe())
    }

    /// Closes the connection, and waits until everything is released. Calls that still wait for
    /// an answer fail with [`CallError::Closed`].
    pub async fn close(&self) {
        self.inner.state.closing.send_replace(true);
        let mut current = self.inner.current.clone();
        // Fails when the task was dropped with its runtime.
        let _ = current.wait_for(|state| state.phase == Phase::Closed).await;
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.state.closing.send_replace(true);
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
