//! The client handle.

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

/// A connection to a server. Clones are cheap and share the connection.
///
/// When the last clone is dropped, the connection is closed in the background. To wait until it is
/// closed, call [`close`](Self::close).
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
    /// The number of the latest reconnection attempt that a call has requested.
    demand: watch::Sender<u64>,
    reconnects: bool,
}

impl Client {
    /// Starts building a client that introduces itself with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            config: Config::new(Implementation::new(name, version)),
        }
    }

    /// Connects to the server at `url` over Streamable HTTP, with the default settings. The client's
    /// name is the file name of the running program, and its version is `0.0.0`.
    ///
    /// To choose the name, the settings or another transport, use [`Client::builder`].
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
    /// Returns a [`ConnectError`] if the connection can't be established. Whatever was opened is
    /// closed again.
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

    /// Spawns the supervisor of the first connection, which uses `open` to reconnect.
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

    /// Returns a function that upgrades a weak reference to this client. The weak reference does
    /// not keep the connection open.
    pub(super) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<> {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade()?;
            Some(Self { inner })
        }
    }

    /// Returns the usable connection. If `waits` is true, a lost connection is restored soon, and
    /// this function waits for it.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] if there is no usable connection.
    pub(super) async fn connection(&self, waits: bool) -> Result<Arc<Connection>, CallError> {
        self.usable(waits && self.inner.reconnects, true).await
    }

    /// Waits for a usable connection until the last reconnection attempt has failed. If `demands`
    /// is true, also requests an attempt soon.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] if there is no usable connection. Unless `waits` is true, this error
    /// is returned immediately.
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

    pub(super) fn current(&self) -> &watch::Receiver<ConnectionState> {
        &self.inner.current
    }

    /// The settings that the newest connection has negotiated.
    #[must_use]
    pub fn negotiated(&self) -> Arc<Negotiated<ServerCapabilities>> {
        let connection = Arc::clone(&self.inner.current.borrow().connection);
        let newest = connection.channel.negotiated();
        newest.unwrap_or_else(|| Arc::clone(&connection.negotiated))
    }

    /// The negotiated revision. A reconnection may change it.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.negotiated().revision
    }

    /// The name and version that the server reports. They are not verified, so use them for display
    /// and logs only.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.negotiated().peer_info.clone()
    }

    /// The capabilities of the server. A request that needs another capability fails without being
    /// sent.
    #[must_use]
    pub fn server_capabilities(&self) -> ServerCapabilities {
        self.negotiated().peer_capabilities.clone()
    }

    /// The server's instructions for models that use it.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.negotiated().instructions.clone()
    }

    /// Returns true if an extension is active on the newest connection: this client
    /// [supports it](super::ClientBuilder::extension) in the negotiated revision, and the server has
    /// declared it.
    #[must_use]
    pub fn has_extension(&self, id: &str) -> bool {
        let negotiated = self.negotiated();
        let mut active = self.state().config.extensions.active(&negotiated);
        active.any(|extension| extension.id() == id)
    }

    /// Returns true if this client declares an extension on the newest connection, whether or not the
    /// server does.
    #[must_use]
    pub fn declares_extension(&self, id: &str) -> bool {
        let revision = self.negotiated().revision;
        let mut declared = self.state().config.extensions.settings(revision);
        declared.any(|(declared, _)| declared == id)
    }

    /// Answers questions that the server has asked outside the core protocol, for example through an
    /// extension. The [handlers](super::ClientBuilder::on_form) of the client answer them
    /// concurrently. Errors name `method` as the method that the questions belong to.
    ///
    /// # Errors
    ///
    /// [`CallError::InputRequired`] with all questions if one of them has no handler (no handler is
    /// called then), and [`CallError::Unanswered`] if a handler fails.
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

    /// The reason why the connection was lost or could not be restored. Returns `None` while the
    /// client is connected, and after this side has closed the connection.
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

    /// Subscribes to the server's notifications from now on. A reader that falls more than 256
    /// notifications behind misses the oldest.
    #[must_use]
    pub fn notifications(&self) -> Notifications {
        Notifications(self.inner.state.notifications.subscribe())
    }

    /// Closes the connection and waits until its resources are released. Calls that are still
    /// waiting for an answer fail with [`CallError::Closed`].
    pub async fn close(&self) {
        self.inner.state.closing.send_replace(true);
        let mut current = self.inner.current.clone();
        // Fails only if the supervisor was dropped together with its runtime.
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
