//! The client builder.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, io};

use mcp_types::{
    Era, Implementation, LoggingMessageNotificationParams, ProgressNotificationParams, Revision,
    Revisions, ServerNotification,
};

use super::channel::Channel;
use super::config::Config;
use super::connect::{connect, connect_first, expected};
use super::state::ClientState;
use super::supervisor::Open;
use super::{Client, ClientExtension, ConnectError, KeepAlive, Reconnect, ResponseCache, Status};
use crate::TraceContext;
use crate::connection::{BoxFuture, Recording, Transport};
use crate::protocol::{Change, Timeouts};
use crate::sync::lock;

/// Collects the settings of a [`Client`]. To create the client, call [`connect`](Self::connect).
#[must_use = "nothing happens before `connect`"]
pub struct ClientBuilder {
    pub(super) config: Config,
}

impl ClientBuilder {
    /// Sets the name, version, title, icons and other information about the client.
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// Sets the revisions that the client accepts. By default, it accepts all known revisions.
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.config.revisions = revisions;
        self
    }

    /// Accepts only one revision, without probing the server: a handshake revision is offered to the
    /// server, and a stateless revision is used directly. If the server refuses the revision, the
    /// client asks for the supported revisions and reports them in [`ConnectError::Revision`].
    pub fn revision(self, revision: Revision) -> Self {
        self.revisions(Revisions::only(revision))
    }

    /// Accepts only revisions of this era. Use this if the era of the server is known, to avoid the
    /// probe of the server.
    pub fn era(mut self, era: Era) -> Self {
        self.config.revisions = self.config.revisions.of(era);
        self
    }

    /// Sets the revision of an earlier connection to the server, as returned by
    /// [`Client::revision`]. The client first tries the era of this revision, and probes the server
    /// only if this fails. With servers that do not answer the probe, this saves waiting for its
    /// time limit.
    ///
    /// To store a revision, use its name ([`Revision::as_str`]) or serde. If a server of the
    /// handshake era now speaks a stateless revision as well, the client does not notice it as long
    /// as the server still accepts handshakes.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_runtime::transport::ChildProcess;
    /// use mcp_runtime::{Client, Revision};
    ///
    /// let mut client = Client::builder("example", "1.0.0");
    /// if let Ok(kept) = std::fs::read_to_string("my-server.revision") {
    ///     client = client.last_revision(kept.parse::<Revision>()?);
    /// }
    /// let server = ChildProcess::new("my-server");
    /// let client = client.connect_with(move || server.clone()).await?;
    /// std::fs::write("my-server.revision", client.revision().as_str())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The probe uses a second connection. [`connect`](Self::connect) fails without a probe if its
    /// transport can be opened only once.
    pub fn last_revision(mut self, revision: Revision) -> Self {
        self.config.last_era = Some(revision.era());
        self
    }

    /// Sets how long the client waits for the answer to `server/discover` before it sends
    /// `initialize`. The default is 3 seconds.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.config.probe_timeout = timeout;
        self
    }

    /// Sets the time limits of requests, which a call can override. The default is 60 seconds.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.config.timeouts = timeouts;
        self
    }

    /// Sets the maximum number of pages of a list. The default is 1000.
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.config.max_pages = pages;
        self
    }

    /// Sets the maximum size of a list in bytes of JSON, over all pages. The default is 64 MiB.
    /// Fetching a larger list fails.
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.config.max_list_bytes = bytes;
        self
    }

    /// Calls `source` for each request and sends the trace context that it returns. `source` must
    /// return quickly. By default, no trace context is sent.
    ///
    /// ```
    /// # use mcp_runtime::{Client, TraceContext};
    /// fn current_trace() -> Option<TraceContext> {
    ///     // Ask the tracing library of the program for the current span.
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
        self.config.trace = Some(Box::new(source));
        self
    }

    /// Records each message of the connections of the client, including those that restore a lost
    /// connection.
    pub fn record(mut self, recording: &Recording) -> Self {
        self.config.recording = Some(recording.clone());
        self
    }

    /// Calls `observer` with each change of the connection's status, in order. The observer must
    /// return quickly, because it blocks the connection. It may query the client for its
    /// [revision](Client::revision), status and capabilities.
    pub fn on_status(mut self, observer: impl Fn(Status) + Send + Sync + 'static) -> Self {
        self.config.on_status = Some(Box::new(observer));
        self
    }

    /// Calls `observer` with each notification of the server, in order. The observer must return
    /// quickly, because it blocks the connection.
    pub fn on_notification(
        mut self,
        observer: impl Fn(&ServerNotification) + Send + Sync + 'static,
    ) -> Self {
        self.config.on_notification.push(Box::new(observer));
        self
    }

    /// Calls `observer` with each log message of the server, in order. The observer must return
    /// quickly, because it blocks the connection. To set the minimum level of the messages, call
    /// [`set_log_level`](Client::set_log_level).
    ///
    /// ```
    /// use mcp_runtime::Client;
    ///
    /// let client = Client::builder("example", "1.0.0")
    ///     .on_log(|message| eprintln!("{}: {}", message.level, message.data))
    ///     .on_changed(|changed| eprintln!("changed: {changed:?}"));
    /// # drop(client);
    /// ```
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub fn on_log(
        self,
        observer: impl Fn(&LoggingMessageNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.on_notification(move |notification| {
            if let ServerNotification::LoggingMessage(message) = notification {
                observer(message);
            }
        })
    }

    /// Requests progress for each call, and calls `observer` with each progress notification. The
    /// observer must return quickly, because it blocks the connection. To observe a single call, use
    /// [`Call::on_progress`](super::Call::on_progress).
    pub fn on_progress(
        mut self,
        observer: impl Fn(&ProgressNotificationParams) + Send + Sync + 'static,
    ) -> Self {
        self.config.wants_progress = true;
        self.on_notification(move |notification| {
            if let ServerNotification::Progress(progress) = notification {
                observer(progress);
            }
        })
    }

    /// Calls `observer` with each change that the server announces, in order. The observer must
    /// return quickly, because it blocks the connection.
    ///
    /// To receive changes, call [`subscribe_to`](Client::subscribe_to). In the handshake era, servers
    /// announce changes of lists even without a subscription.
    pub fn on_changed(self, observer: impl Fn(Change) + Send + Sync + 'static) -> Self {
        self.on_notification(move |notification| {
            if let Some(changed) = Change::by(notification) {
                observer(changed);
            }
        })
    }

    /// Adds a protocol extension. An extension with the same identifier is replaced.
    ///
    /// The client declares the settings of the extension under `extensions` (SEP-2133). Methods of
    /// the extension can be [requested](Client::request) from servers that declare it as well.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_runtime::Client;
    /// use mcp_runtime::transport::ChildProcess;
    /// use mcp_runtime::types::{JsonObject, Request};
    ///
    /// enum Now {}
    ///
    /// impl Request for Now {
    ///     const METHOD: &'static str = "com.example/now";
    ///     const PARAMS_OPTIONAL: bool = true;
    ///     const MAY_REQUIRE_INPUT: bool = false;
    ///     const EXTENSION: Option<&'static str> = Some("com.example/clock");
    ///     type Params = JsonObject;
    ///     type Result = JsonObject;
    /// }
    ///
    /// let client = Client::builder("example", "1.0.0")
    ///     .extension(("com.example/clock", JsonObject::new()))
    ///     .connect(ChildProcess::new("clock-server"))
    ///     .await?;
    /// let now = client.request::<Now>(JsonObject::new()).await?;
    /// # drop(now);
    /// # Ok(())
    /// # }
    /// ```
    pub fn extension(mut self, extension: impl ClientExtension) -> Self {
        self.config.extensions.add(extension);
        self
    }

    /// Sets the maximum number of rounds in which a server may ask for input during one call. The
    /// default is 10.
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.config.max_rounds = rounds;
        self
    }

    /// Caches answers for as long as the server allows; see [`ResponseCache`]. By default, answers
    /// are not cached.
    pub fn cache(mut self, cache: ResponseCache) -> Self {
        self.config.cache = Some(cache);
        self
    }

    /// Sets how to detect servers that no longer answer, in revisions that have `ping`. By default,
    /// the client sends a ping every 30 seconds.
    pub fn keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.config.keep_alive = Some(keep_alive);
        self
    }

    /// Turns off keep-alive pings.
    pub fn without_keep_alive(mut self) -> Self {
        self.config.keep_alive = None;
        self
    }

    /// Sets how to reconnect after the connection is lost. This requires a transport that can be
    /// opened again: a child process, a URL, or a transport of [`connect_with`](Self::connect_with).
    pub fn reconnect(mut self, reconnect: Reconnect) -> Self {
        self.config.reconnect = Some(reconnect);
        self
    }

    /// Turns off reconnection: a lost connection stays lost.
    pub fn without_reconnect(mut self) -> Self {
        self.config.reconnect = None;
        self
    }

    /// Opens the transport and negotiates with the server.
    ///
    /// A lost connection is restored if the transport can be opened again, such as a
    /// [`ChildProcess`](crate::transport::ChildProcess) or a transport to a URL.
    ///
    /// Must be called within a tokio runtime, because the connection is driven by a spawned task.
    ///
    /// # Errors
    ///
    /// Returns a [`ConnectError`] if the connection can't be established. Whatever was opened is
    /// closed again.
    pub fn connect<T: Transport>(self, transport: T) -> BoxFuture<Result<Client, ConnectError>> {
        Box::pin(self.connect_to(transport))
    }

    async fn connect_to<T: Transport>(self, transport: T) -> Result<Client, ConnectError> {
        if let Some(kept) = transport.again() {
            // The mutex is needed because a transport need not be `Sync`.
            let kept = Mutex::new(kept);
            let again = move || lock(&kept).again();
            return self.connect_again(again).await;
        }
        let state = Arc::new(ClientState::new(self.config));
        let expected = expected(&state.config, state.config.last_era);
        let open = Channel::open(transport, Arc::clone(&state));
        let connection = connect(&state, open, expected).await?;
        Ok(Client::start(state, None, connection))
    }

    /// Connects over a transport that `make` returns, and calls `make` again to reconnect after the
    /// connection is lost. For example, this restarts a server that has exited.
    ///
    /// After a reconnection, calls that are safe to repeat are sent again: everything except tool
    /// calls, and calls of tools that are annotated as read-only or idempotent. Other calls fail with
    /// [`CallError::Closed`] or [`CallError::Lost`]. The log level and subscriptions are restored.
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
    /// Returns a [`ConnectError`] if the first connection can't be established. There are no
    /// retries, except that a server that exits because of the probe is connected to without it.
    ///
    /// [`CallError::Closed`]: crate::CallError::Closed
    /// [`CallError::Lost`]: crate::CallError::Lost
    pub async fn connect_with<T: Transport>(
        self,
        make: impl Fn() -> T + Send + Sync + 'static,
    ) -> Result<Client, ConnectError> {
        self.connect_again(move || Some(make())).await
    }

    async fn connect_again<T: Transport>(
        self,
        make: impl Fn() -> Option<T> + Send + Sync + 'static,
    ) -> Result<Client, ConnectError> {
        let state = Arc::new(ClientState::new(self.config));
        let opened = Arc::clone(&state);
        let open: Open = Box::new(move || {
            let transport = make();
            let state = Arc::clone(&opened);
            Box::pin(async move {
                let transport = transport.ok_or(io::ErrorKind::NotConnected)?;
                Channel::open(transport, state).await
            })
        });
        let connection = connect_first(&state, &open).await?;
        Ok(Client::start(state, Some(open), connection))
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("info", &self.config.info)
            .finish_non_exhaustive()
    }
}
