//! The handle to a server.

use std::sync::Arc;

use mcp_types::{
    Implementation, PingRequest, Request, RequestParams, Revision, ServerCapabilities,
};
use tokio::sync::watch;

use super::cache::Kept;
use super::config::Config;
use super::dispatcher::{Dispatcher, Notifications};
use super::memory::Memory;
use super::opener::{Open, Shared};
use super::slot::{Connection, Connections, Demand, Phase, Slot, usable};
use super::status::{Status, StatusWatch};
use super::supervisor::Supervisor;
use super::{Call, ClientBuilder, ConnectError};
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
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    shared: Shared,
    slot: watch::Receiver<Slot>,
    closing: watch::Sender<bool>,
    demand: Demand,
    /// Whether a lost connection is made anew.
    restores: bool,
}

impl Client {
    /// Begins a client that calls itself `name`, in `version`.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name.into(), version.into())
    }

    pub(super) fn start(shared: Shared, open: Option<Open>, connection: Connection) -> Self {
        let restores = open.is_some() && shared.config.reconnect.is_some();
        let (announce, slot) = watch::channel(Slot::up(connection));
        let (closing, until) = watch::channel(false);
        if let Some(roots) = &shared.config.handlers.roots {
            tokio::spawn(roots.announce(slot.clone()));
        }
        let demand = Demand::new();
        let supervisor = Supervisor {
            shared: shared.clone(),
            open,
            slot: announce,
            demand: demand.clone(),
            closing: until,
        };
        tokio::spawn(supervisor.run());
        let inner = Inner {
            shared,
            slot,
            closing,
            demand,
            restores,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    pub(super) fn config(&self) -> &Config {
        &self.inner.shared.config
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.inner.shared.memory
    }

    pub(super) fn dispatcher(&self) -> &Dispatcher {
        &self.inner.shared.dispatcher
    }

    /// What is kept of the server's answers, if anything is.
    pub(super) fn kept(&self) -> Option<&Kept> {
        self.inner.shared.kept.as_deref()
    }

    /// Whether a lost connection is made anew.
    pub(super) fn restores(&self) -> bool {
        self.inner.restores
    }

    /// The connection, once it can be used; where it is not being restored, or the caller does not
    /// want to wait for that, at once or not at all.
    pub(super) async fn connection(&self, may_wait: bool) -> Result<Arc<Connection>, CallError> {
        let waits = may_wait && self.restores();
        usable(self.inner.slot.clone(), waits, Some(&self.inner.demand)).await
    }

    /// The connection, once it can be used, without asking for a try to restore it.
    pub(super) async fn connection_by_itself(&self) -> Result<Arc<Connection>, CallError> {
        usable(self.inner.slot.clone(), self.restores(), None).await
    }

    /// Whether there is a connection that can be used.
    pub(super) fn is_connected(&self) -> bool {
        self.inner.slot.borrow().usable().is_some()
    }

    /// The error of a call that was not sent because there is no connection.
    pub(super) fn not_sent(&self) -> CallError {
        self.inner.slot.borrow().not_sent()
    }

    /// Follows which connection is the newest, from the current one on.
    pub(crate) fn connections(&self) -> Connections {
        Connections::after(self.inner.slot.clone())
    }

    /// A request of any kind, one of an extension included; await it to send it.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use mcp_runtime::types::{ListToolsRequest, PaginatedRequestParams};
    ///
    /// // One page of the list, where `list_tools` fetches them all.
    /// let page = client.request::<ListToolsRequest>(PaginatedRequestParams::new()).await?;
    /// println!("{} tools, then {:?}", page.tools.len(), page.next_cursor);
    /// # Ok(())
    /// # }
    /// ```
    pub fn request<R: Request>(&self, params: R::Params) -> Call<R> {
        Call::new(self, Ok(params))
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] in the stateless era, which has no `ping`; otherwise why there
    /// is no answer.
    pub async fn ping(&self) -> Result<(), CallError> {
        self.request::<PingRequest>(RequestParams::new()).await?;
        Ok(())
    }

    /// What was agreed on when the client connected, the last time it did.
    #[must_use]
    pub fn negotiated(&self) -> Arc<Negotiated<ServerCapabilities>> {
        let connection = Arc::clone(&self.inner.slot.borrow().connection);
        let session = connection.link.session();
        let newest = session.with(|lifecycle| lifecycle.negotiated().cloned());
        newest.unwrap_or_else(|| Arc::clone(&connection.agreed.negotiated))
    }

    /// The revision that is spoken, which a reconnection may change.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.negotiated().revision
    }

    /// What the server says it is. Not verified: for display and logs, not for decisions.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.negotiated().peer_info.clone()
    }

    /// What the server says it offers; requests for anything else fail without being sent.
    #[must_use]
    pub fn server_capabilities(&self) -> ServerCapabilities {
        self.negotiated().peer_capabilities.clone()
    }

    /// What a model should know to use the server well.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.negotiated().instructions.clone()
    }

    /// Where the connection stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.inner.shared.board.current()
    }

    /// The reason why the connection was lost, or could not be restored; `None` while there is one,
    /// and once this side has closed it.
    #[must_use]
    pub fn lost_because(&self) -> Option<Arc<ConnectError>> {
        self.inner.slot.borrow().cause.clone()
    }

    /// Follows where the connection stands.
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
        self.inner.shared.board.watch()
    }

    /// The server's notifications from now on. Who leaves more than 256 unread loses the
    /// oldest.
    #[must_use]
    pub fn notifications(&self) -> Notifications {
        self.inner.shared.dispatcher.subscribe()
    }

    /// Waits until there is no connection, and there will be none.
    pub(super) async fn down(&self) {
        let mut slot = self.inner.slot.clone();
        // An error means that the task was dropped with its runtime, which is the end as well.
        let _ = slot.wait_for(|slot| slot.phase == Phase::Down).await;
    }

    /// Waits until the connection is lost for good, or closed, and returns the reason.
    pub(super) async fn given_up(&self) -> CallError {
        let mut slot = self.inner.slot.clone();
        let lost = |slot: &Slot| matches!(slot.phase, Phase::GivenUp | Phase::Down);
        let found = slot.wait_for(lost).await;
        // An error means that the task was dropped with its runtime, which is the end as well.
        found.map_or(CallError::Closed, |slot| slot.lost())
    }

    /// Closes the connection, and waits until everything is released. Calls that still wait for
    /// an answer fail with [`CallError::Closed`].
    pub async fn close(&self) {
        self.inner.closing.send_replace(true);
        self.down().await;
    }
}
