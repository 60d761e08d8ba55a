//! The builder of clients.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fmt, io};

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, Era, ErrorObject, Implementation,
    LoggingMessageNotificationParams, ProgressNotificationParams, Revision, Revisions, Root,
    ServerNotification,
};

use super::channel::Channel;
use super::config::Config;
use super::connect::{connect, connect_first, expected};
use super::state::ClientState;
use super::supervisor::Open;
use super::{
    Client, ClientExtension, ConnectError, ElicitReply, Form, KeepAlive, Page, Reconnect,
    ResponseCache, Roots, Status,
};
use crate::TraceContext;
use crate::connection::{BoxFuture, Transport};
use crate::protocol::{Change, Timeouts};
use crate::sync::lock;

/// The settings of a client; [`connect`](Self::connect) makes it.
#[must_use = "nothing happens before `connect`"]
pub struct ClientBuilder {
    pub(super) config: Config,
}

impl ClientBuilder {
    /// Name, version, title, icons and more of the client.
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// The revisions that the client accepts; all that are known unless set.
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.config.revisions = revisions;
        self
    }

    /// The one revision to speak. Nothing is probed: a handshake revision is offered, a stateless
    /// one is used. A server that refuses it is asked for those that it has, which
    /// [`ConnectError::Revision`] names.
    pub fn revision(self, revision: Revision) -> Self {
        self.revisions(Revisions::only(revision))
    }

    /// The era of the server, where it is known: nothing is probed.
    pub fn era(mut self, era: Era) -> Self {
        self.config.revisions = self.config.revisions.of(era);
        self
    }

    /// The revision of an earlier connection ([`Client::revision`]): the client begins with its
    /// era, and probes the server where that fails. This saves the probe, and its time limit, with
    /// servers that do not answer it.
    ///
    /// A revision can be stored by its name ([`Revision::as_str`], and serde). A server of the
    /// handshake era that has become stateless since is not noticed as long as it serves
    /// handshakes.
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
    /// To probe, a second connection is opened: [`connect`](Self::connect) fails where its
    /// transport can be opened only once.
    pub fn last_revision(mut self, revision: Revision) -> Self {
        self.config.last_era = Some(revision.era());
        self
    }

    /// The time limit of `server/discover`, after which `initialize` is sent; 3 seconds unless set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.config.probe_timeout = timeout;
        self
    }

    /// The time limits of requests, unless a call sets its own; 60 seconds unless set.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.config.timeouts = timeouts;
        self
    }

    /// The largest number of pages of a list; 1000 unless set.
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.config.max_pages = pages;
        self
    }

    /// The largest size of a list, all pages together, in bytes of JSON; 64 MiB unless set. A list
    /// over it is an error.
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.config.max_list_bytes = bytes;
        self
    }

    /// Sends the trace context that `source` returns with each request. It must return quickly. No
    /// trace context is sent unless set.
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
        self.config.trace = Some(Box::new(source));
        self
    }

    /// Calls `observer` with each change of the connection's status, in order. It must return
    /// quickly: the connection waits. It may ask the client for its
    /// [revision](Client::revision), status and capabilities.
    pub fn on_status(mut self, observer: impl Fn(Status) + Send + Sync + 'static) -> Self {
        self.config.on_status = Some(Box::new(observer));
        self
    }

    /// Calls `observer` with each notification of the server, in order. It must return quickly:
    /// the connection waits.
    pub fn on_notification(
        mut self,
        observer: impl Fn(&ServerNotification) + Send + Sync + 'static,
    ) -> Self {
        self.config.on_notification.push(Box::new(observer));
        self
    }

    /// Calls `observer` with each log message of the server, in order. It must return quickly: the
    /// connection waits. The level is set by
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

    /// Requests progress for each call, and calls `observer` with each progress notification. It
    /// must return quickly: the connection waits. [`Call::on_progress`](super::Call::on_progress)
    /// observes one call.
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

    /// Calls `observer` with each change that the server announces, in order. It must return
    /// quickly: the connection waits. What is announced is up to
    /// [`subscribe_to`](Client::subscribe_to); in revisions with a handshake, changes of
    /// lists are announced unasked.
    pub fn on_changed(self, observer: impl Fn(Change) + Send + Sync + 'static) -> Self {
        self.on_notification(move |notification| {
            if let Some(changed) = Change::by(notification) {
                observer(changed);
            }
        })
    }

    /// Handles forms for the user, and declares `elicitation.form`. The handler does not delay the
    /// connection, and is dropped when the server cancels the request.
    ///
    /// ```
    /// use mcp_runtime::Client;
    ///
    /// let client = Client::builder("example", "1.0.0").on_form(async |form| {
    ///     println!("{}", form.message());
    ///     form.accept_suggestions()
    /// });
    /// # drop(client);
    /// ```
    ///
    /// It is called for each question, so that it clones what it needs:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use mcp_runtime::Client;
    /// use mcp_runtime::client::{ElicitReply, Form};
    ///
    /// # struct Ui;
    /// impl Ui {
    ///     async fn ask(&self, form: Form) -> ElicitReply {
    ///         // Shows the form.
    /// #       form.decline()
    ///     }
    /// }
    ///
    /// let ui = Arc::new(Ui);
    /// let client = Client::builder("example", "1.0.0").on_form(move |form| {
    ///     let ui = Arc::clone(&ui);
    ///     async move { ui.ask(form).await }
    /// });
    /// # drop(client);
    /// ```
    pub fn on_form<F>(mut self, handler: impl Fn(Form) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitReply> + Send + 'static,
    {
        self.config.input.form = Some(Box::new(move |form| Box::pin(handler(form))));
        self
    }

    /// Handles web pages for the user to open, and declares `elicitation.url`.
    ///
    /// ```
    /// use mcp_runtime::Client;
    ///
    /// # fn ask(_: &str, _: &str) -> bool { true }
    /// # fn open_in_browser(_: &str) {}
    /// let client = Client::builder("example", "1.0.0").on_page(async |page| {
    ///     if !ask(page.message(), page.url()) {
    ///         return page.decline();
    ///     }
    ///     open_in_browser(page.url());
    ///     page.accept()
    /// });
    /// # drop(client);
    /// ```
    pub fn on_page<F>(mut self, handler: impl Fn(Page) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitReply> + Send + 'static,
    {
        self.config.input.page = Some(Box::new(move |page| Box::pin(handler(page))));
        self
    }

    /// Handles requests for a language model, and declares `sampling`. A person should see request
    /// and response. An error is sent as it is; a user's refusal has the code -1 (2025-11-25,
    /// "Sampling", section Error Handling).
    ///
    /// ```
    /// use mcp_runtime::Client;
    /// use mcp_runtime::types::{
    ///     CreateMessageResult, Role, SamplingMessageContentBlock, TextContent,
    /// };
    ///
    /// # async fn ask_model(_: &[mcp_runtime::types::SamplingMessage]) -> String { String::new() }
    /// let client = Client::builder("example", "1.0.0").on_sample(async |params| {
    ///     let text = ask_model(&params.messages).await;
    ///     let text = SamplingMessageContentBlock::Text(TextContent::new(text));
    ///     Ok(CreateMessageResult::new(Role::Assistant, text, "model-1"))
    /// });
    /// # drop(client);
    /// ```
    pub fn on_sample<F>(
        mut self,
        handler: impl Fn(CreateMessageRequestParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, ErrorObject>> + Send + 'static,
    {
        self.config.input.sample = Some(Box::new(move |params| Box::pin(handler(params))));
        self
    }

    /// Allows tools in requests for [`on_sample`](Self::on_sample), and declares `sampling.tools`.
    pub fn sample_with_tools(mut self) -> Self {
        self.config.input.sample_with_tools = true;
        self
    }

    /// The folders and files that servers should work on; declares `roots`.
    pub fn roots(mut self, roots: impl Into<Roots>) -> Self {
        self.config.input.roots = Some(roots.into());
        self
    }

    /// Finds the roots whenever a server asks for them, and declares `roots` without notifications
    /// of changes. A list of [`roots`](Self::roots) goes before it.
    ///
    /// ```
    /// use mcp_runtime::Client;
    /// use mcp_runtime::types::Root;
    ///
    /// let client = Client::builder("example", "1.0.0")
    ///     .on_roots(async || Ok(vec![Root::new("file:///home/ada/project")]));
    /// # drop(client);
    /// ```
    pub fn on_roots<F>(mut self, handler: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Vec<Root>, ErrorObject>> + Send + 'static,
    {
        self.config.input.find_roots = Some(Box::new(move |()| Box::pin(handler())));
        self
    }

    /// Adds an extension of the protocol; one of the same identifier is replaced. Its settings are
    /// declared under `extensions` (SEP-2133), and its methods can be [requested](Client::request)
    /// from servers that declare it as well.
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

    /// The largest number of rounds in which one call may ask for input; 10 unless set.
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.config.max_rounds = rounds;
        self
    }

    /// Caches answers as long as the server allows; none unless set. See [`ResponseCache`].
    pub fn cache(mut self, cache: ResponseCache) -> Self {
        self.config.cache = Some(cache);
        self
    }

    /// Detection of servers that no longer answer, in revisions that have `ping`; every 30 seconds
    /// unless set.
    pub fn keep_alive(mut self, keep_alive: KeepAlive) -> Self {
        self.config.keep_alive = Some(keep_alive);
        self
    }

    /// Sends no pings.
    pub fn without_keep_alive(mut self) -> Self {
        self.config.keep_alive = None;
        self
    }

    /// Reconnection, where the transport can be opened again: a child process, a URL, or one of
    /// [`connect_with`](Self::connect_with).
    pub fn reconnect(mut self, reconnect: Reconnect) -> Self {
        self.config.reconnect = Some(reconnect);
        self
    }

    /// Does not restore a lost connection.
    pub fn without_reconnect(mut self) -> Self {
        self.config.reconnect = None;
        self
    }

    /// Opens the transport and negotiates with the server. A connection that is lost
    /// stays lost, unless the transport can be opened again, as a
    /// [`ChildProcess`](crate::transport::ChildProcess) and those to a URL can.
    ///
    /// Must be called within a tokio runtime: the connection is driven by a task of its own.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; everything is closed again.
    pub fn connect<T: Transport>(self, transport: T) -> BoxFuture<Result<Client, ConnectError>> {
        Box::pin(self.connect_to(transport))
    }

    async fn connect_to<T: Transport>(self, transport: T) -> Result<Client, ConnectError> {
        if let Some(kept) = transport.again() {
            // A transport need not be `Sync`.
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

    /// Connects over a transport that `make` returns, and over another one when the connection is
    /// lost: a server that has ended is started again.
    ///
    /// Calls that are safe to repeat (everything but tools, and tools that are annotated as
    /// read-only or idempotent) are then sent again; others fail with [`CallError::Closed`] or
    /// [`CallError::Lost`]. The log level and subscriptions are restored.
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
    /// See [`ConnectError`]; the first connection is tried once, twice where the server ends
    /// because of the probe.
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
