//! Putting a client together.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Era, Implementation, Revision, Revisions, ServerNotification};

use super::cache::Kept;
use super::config::Config;
use super::connect::{expected, without_probe};
use super::dispatcher::{Dispatcher, OnNotification};
use super::opener::{Open, Shared, reopening};
use super::slot::Connection;
use super::status::{OnStatus, Status, StatusBoard};
use super::tracing::Tracing;
use super::{Changed, Client, ConnectError, KeepAlive, Reconnect, ResponseCache};
use crate::TraceContext;
use crate::protocol::Timeouts;
use crate::transport::Transport;

/// How a client presents itself and behaves; [`connect`](Self::connect) makes it one.
#[must_use = "nothing happens before `connect`"]
pub struct ClientBuilder {
    pub(super) config: Config,
    on_status: Option<OnStatus>,
    on_notification: Vec<OnNotification>,
    cache: Option<ResponseCache>,
}

impl ClientBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            config: Config::new(Implementation::new(name, version)),
            on_status: None,
            on_notification: Vec::new(),
            cache: None,
        }
    }

    /// All that the client says of itself: name, version, title, icons and more.
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// The revisions that the client is willing to speak; all that are known unless set.
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.config.revisions = revisions;
        self
    }

    /// The one revision to speak. Nothing is probed: a handshake revision is offered, a stateless
    /// one is used.
    pub fn revision(self, revision: Revision) -> Self {
        self.revisions(Revisions::only(revision))
    }

    /// The era that the server belongs to, where it is known: it need not be found out.
    pub fn era(mut self, era: Era) -> Self {
        self.config.revisions = self.config.revisions.of(era);
        self
    }

    /// What the server spoke the last time, as [`Client::revision`] told: the client begins with the
    /// era of this revision, and finds out anew where that leads nowhere. So nothing is asked that
    /// the server has not understood before, nor is an answer waited for that has not come.
    ///
    /// A revision has a name to be kept by ([`Revision::as_str`], and serde). A server of the
    /// handshake era that has learned to do without since is not found out, as long as it serves
    /// handshakes.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_runtime::transport::ChildProcess;
    /// use mcp_runtime::{Client, Revision};
    ///
    /// let mut client = Client::builder("example", "1.0.0");
    /// if let Ok(kept) = std::fs::read_to_string("my-server.revision") {
    ///     client = client.remembered(kept.parse::<Revision>()?);
    /// }
    /// let server = ChildProcess::new("my-server");
    /// let client = client.connect_with(move || server.clone()).await?;
    /// std::fs::write("my-server.revision", client.revision().as_str())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// To find out anew, a second connection is opened: [`connect`](Self::connect) fails where its
    /// transport can be opened only once.
    pub fn remembered(mut self, revision: Revision) -> Self {
        self.config.remembered = Some(revision.era());
        self
    }

    /// How long a server may be silent when asked for `server/discover` before it is greeted with
    /// `initialize`; 3 seconds unless set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.config.probe_timeout = timeout;
        self
    }

    /// How long requests may take, unless a call says otherwise; 60 seconds unless set.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.config.timeouts = timeouts;
        self
    }

    /// How many pages of a list are fetched at most; 1000 unless set.
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.config.max_pages = pages;
        self
    }

    /// Tells the server of each request which trace it is part of; `source` is asked for it, and must
    /// return quickly. Unless set, nothing is told.
    ///
    /// ```
    /// # use mcp_runtime::{Client, TraceContext};
    /// fn current_trace() -> Option<TraceContext> {
    ///     // From the tracer of the program, whichever it is.
    ///     TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01")
    /// }
    ///
    /// let client = Client::builder("example", "1.0.0").trace_context(current_trace);
    /// # drop(client);
    /// ```
    pub fn trace_context(
        mut self,
        source: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.config.tracing = Tracing::from(source);
        self
    }

    /// Calls `observer` with each change of the connection's status, in order. It must return
    /// quickly: the connection waits.
    pub fn on_status(mut self, observer: impl Fn(Status) + Send + Sync + 'static) -> Self {
        self.on_status = Some(Box::new(observer));
        self
    }

    /// Calls `observer` with each notification of the server, in order. It must return quickly:
    /// the connection waits.
    pub fn on_notification(
        mut self,
        observer: impl Fn(&ServerNotification) + Send + Sync + 'static,
    ) -> Self {
        self.on_notification.push(Box::new(observer));
        self
    }

    /// Keeps answers for as long as the server allows; none unless set. See [`ResponseCache`].
    pub fn cache(mut self, cache: ResponseCache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// How the server is asked for signs of life, in revisions that have `ping`; every 30 seconds
    /// unless set.
    pub fn keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.config.keep_alive = Some(keep_alive);
        self
    }

    /// The server is not asked for signs of life.
    pub fn without_keep_alive(mut self) -> Self {
        self.config.keep_alive = None;
        self
    }

    /// How a lost connection is made anew, where the transport can be opened again: a child process,
    /// a URL, or whatever is given to [`connect_with`](Self::connect_with).
    pub fn reconnect(mut self, reconnect: Reconnect) -> Self {
        self.config.reconnect = Some(reconnect);
        self
    }

    /// A lost connection stays lost.
    pub fn without_reconnect(mut self) -> Self {
        self.config.reconnect = None;
        self
    }

    /// Opens the transport and agrees with the server on a revision. A connection that is lost
    /// stays lost, unless the transport can be opened again, as a
    /// [`ChildProcess`](crate::transport::ChildProcess) and those to a URL can.
    ///
    /// Must be called within a tokio runtime: the connection is driven by a task of its own.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; whatever was opened is closed again.
    pub async fn connect<T: Transport>(self, transport: T) -> Result<Client, ConnectError> {
        let shared = self.shared();
        if let Some(open) = reopening(&transport) {
            let connection = first(&shared, &open).await?;
            return Ok(Client::start(shared, Some(open), connection));
        }
        let link = shared.open(transport).await.map_err(ConnectError::Open)?;
        let begin = expected(&shared.config, shared.config.remembered);
        let connection = shared.greet(link, begin).await?;
        Ok(Client::start(shared, None, connection))
    }

    /// Connects over a transport that `make` makes, and makes another one when the connection is
    /// lost: a server that died is started again.
    ///
    /// Calls that are safe to repeat (everything but tools, and tools that say that they only read
    /// or are idempotent) are then sent again; others fail with [`CallError::Closed`]
    /// or [`CallError::Lost`]. The log
    /// level and subscriptions are made again.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), mcp_runtime::ConnectError> {
    /// use mcp_runtime::Client;
    /// use mcp_runtime::transport::ChildProcess;
    ///
    /// let server = ChildProcess::new("my-server");
    /// let client = Client::builder("example", "1.0.0")
    ///     .connect_with(move || server.clone())
    ///     .await?;
    /// # client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; the first connection is tried once, twice where the server dies of
    /// being asked which revision it speaks.
    ///
    /// [`CallError::Closed`]: crate::CallError::Closed
    /// [`CallError::Lost`]: crate::CallError::Lost
    pub async fn connect_with<T: Transport>(
        self,
        make: impl Fn() -> T + Send + Sync + 'static,
    ) -> Result<Client, ConnectError> {
        let shared = self.shared();
        let open: Open = Box::new(move |shared| {
            let transport = make();
            Box::pin(async move { shared.open(transport).await })
        });
        let connection = first(&shared, &open).await?;
        Ok(Client::start(shared, Some(open), connection))
    }

    fn shared(mut self) -> Shared {
        let kept = self.cache.take().map(|cache| Arc::new(Kept::new(cache)));
        if let Some(kept) = &kept {
            let kept = Arc::clone(kept);
            // Before anybody else is told, who might ask again at once.
            self.on_notification.insert(
                0,
                Box::new(move |told| {
                    if let Some(changed) = Changed::by(told) {
                        kept.changed(&changed);
                    }
                }),
            );
        }
        Shared {
            config: Arc::new(self.config),
            board: Arc::new(StatusBoard::new(self.on_status)),
            dispatcher: Arc::new(Dispatcher::new(self.on_notification)),
            memory: Arc::default(),
            kept,
        }
    }
}

async fn first(shared: &Shared, open: &Open) -> Result<Connection, ConnectError> {
    let config = &shared.config;
    let (begin, mut revisions) = (expected(config, config.remembered), config.revisions);
    if begin != revisions {
        match shared.connect(open, begin).await {
            Err(error) if error.is_the_servers() => {
                tracing::debug!(%error, "the server is not what it was: finding out what it is");
            }
            settled => return settled,
        }
    }
    loop {
        let error = match shared.connect(open, revisions).await {
            Err(error) if error.is_end() => error,
            settled => return settled,
        };
        tracing::debug!("the server closed the connection when it was probed");
        revisions = without_probe(revisions).ok_or(error)?;
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("info", &self.config.info)
            .finish_non_exhaustive()
    }
}
