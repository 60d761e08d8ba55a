//! One open transport to a server, and the lifecycle of the protocol over it.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use mcp_types::jsonrpc::RequestId;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::{
    ClientCapabilities, JsonObject, Misfit, Notification, OrderedMap, RawJson, RawJsonRef, Request,
    Revision, ServerCapabilities, ServerNotification, Side, methods,
};
use serde::Serialize;
use tokio::sync::watch;

use super::source::Source;
use super::state::{ClientState, TransportState, subscription};
use crate::connection::{
    Driver, JsonRpcResult, Limits, Peer, Recorder, Role, SendOptions, Served, Transport,
};
use crate::error::{CallError, RequestError, Unavailable, shared};
use crate::limits::{CLOSE_TIMEOUT, EXCERPT_CHARS, FOREVER};
use crate::protocol::{ClientLifecycle, LifecycleState, Negotiated, TASKS, Timeouts};
use crate::sync::lock;

/// An open transport that is driven by a task, possibly before the negotiation.
///
/// Dropping a channel closes the transport in the background.
pub(super) struct Channel {
    peer: Peer,
    shared: Arc<ChannelState>,
    extensions: Vec<String>,
    end: watch::Receiver<Option<Result<(), Arc<io::Error>>>>,
}

/// The constants of a [`Request`] type, without its type parameters.
#[derive(Clone, Copy)]
pub(super) struct RequestKind {
    pub(super) method: &'static str,
    extension: Option<&'static str>,
    pub(super) may_require_input: bool,
}

impl RequestKind {
    pub(super) const fn of<R: Request>() -> Self {
        Self {
            method: R::METHOD,
            extension: R::EXTENSION,
            may_require_input: R::MAY_REQUIRE_INPUT,
        }
    }
}

/// The options of a request that is cancelled at the server when its future is dropped. Before the
/// connection operates, [`Channel::write`] makes the request uncancellable.
pub(super) fn request_options(kind: RequestKind, timeouts: Timeouts) -> SendOptions {
    SendOptions {
        // A task asks its questions while its result is requested (2025-11-25, "Tasks").
        takes_input: kind.may_require_input || kind.method == methods::TASKS_RESULT,
        ..SendOptions::new(kind.method, timeouts)
    }
}

impl Channel {
    /// Opens a transport and spawns a task that drives it.
    ///
    /// # Errors
    ///
    /// Fails if the transport can't be opened.
    pub(super) async fn open<T: Transport>(
        mut transport: T,
        state: Arc<ClientState>,
    ) -> io::Result<Self> {
        transport.set_timeouts(state.config.timeouts);
        let mut methods = state.config.extensions.methods();
        if state.config.relay.is_some() {
            methods.extend(TASKS);
        }
        transport.set_extension_methods(methods);
        let extensions = transport.extensions();
        let program = transport.program();
        if let Some(cache) = &state.cache {
            cache.set_principal(transport.principal());
        }
        state.set_status(|status| status.transport = TransportState::Connecting);
        let halves = transport.open().await.inspect_err(|_| {
            state.set_status(|status| status.transport = TransportState::Disconnected);
        })?;
        state.set_status(|status| status.transport = TransportState::Connected);
        state.set_status(|status| status.lifecycle = LifecycleState::Uninitialized);
        let shared = Arc::new(ChannelState {
            lifecycle: Mutex::new(ClientLifecycle::new()),
            announcing: Mutex::default(),
            frames: AtomicU64::new(0),
            program,
            no_message: OnceLock::new(),
            is_echo: AtomicBool::new(false),
            client: state,
        });
        let limits = Limits {
            drain: CLOSE_TIMEOUT,
            ..Limits::default()
        };
        let (peer, commands) = Peer::channel();
        let recording = shared.client.config.recording.as_ref();
        let recorder = Recorder::new(recording, Side::Client);
        let driver = Driver::new(Arc::clone(&shared), halves, commands, limits, recorder);
        let (ended, end) = watch::channel(None);
        let served = Arc::clone(&shared);
        tokio::spawn(async move {
            let outcome = driver.run().await;
            if let Err(error) = &outcome {
                crate::log::warn!(%error, "the connection was lost");
            }
            let state = &served.client;
            state.set_status(|status| status.transport = TransportState::Disconnected);
            ended.send_replace(Some(outcome.map_err(Arc::new)));
        });
        Ok(Self {
            peer,
            shared,
            extensions,
            end,
        })
    }

    pub(super) fn capabilities(&self, revision: Revision) -> ClientCapabilities {
        let config = &self.shared.client.config;
        let mut capabilities = config.input.capabilities(revision);
        let of_transport = self.extensions.iter().cloned();
        let mut extensions: OrderedMap<_> =
            of_transport.map(|it| (it, JsonObject::new())).collect();
        extensions.extend(config.extensions.settings(revision));
        capabilities.extensions = Some(extensions).filter(|extensions| !extensions.is_empty());
        capabilities
    }

    pub(super) fn with<T>(&self, f: impl FnOnce(&mut ClientLifecycle) -> T) -> T {
        self.shared.with(f)
    }

    /// The negotiated settings, or `None` unless the connection operates. Does not lock `announcing`,
    /// because an observer of the status may call this.
    pub(super) fn negotiated(&self) -> Option<Arc<Negotiated<ServerCapabilities>>> {
        self.shared.lifecycle().negotiated.clone()
    }

    pub(super) fn frames(&self) -> u64 {
        self.shared.frames.load(Ordering::Relaxed)
    }

    pub(super) fn program(&self) -> Option<&str> {
        self.shared.program.as_deref()
    }

    pub(super) fn is_echo(&self) -> bool {
        self.shared.is_echo.load(Ordering::Relaxed)
    }

    pub(super) fn no_message(&self) -> Option<&str> {
        self.shared.no_message.get().map(String::as_str)
    }

    /// Serializes a request with `meta` (JSON without braces) as its `_meta`. To send the request,
    /// pass the result to [`send`](Self::send).
    ///
    /// # Errors
    ///
    /// Fails if the lifecycle does not allow the request, or if its parameters can't be serialized.
    pub(super) fn write(
        &self,
        kind: RequestKind,
        params: &(impl Serialize + ?Sized),
        meta: String,
        mut options: SendOptions,
    ) -> Result<Written, CallError> {
        let method = kind.method;
        // A server may not cope with a cancellation before it has answered `initialize`.
        options.cancellable = self.with(|lifecycle| {
            match kind.extension {
                None => lifecycle.send(method)?,
                Some(extension) => {
                    let negotiated = lifecycle.send_of_extension(method, extension)?;
                    self.check_declared(method, extension, negotiated.revision)?;
                }
            }
            Ok::<_, CallError>(lifecycle.state == LifecycleState::Operating)
        })?;
        let wants_progress = options.progress.is_some() || options.timeouts.reset_on_progress;
        self.frame(method, params, meta, options, wants_progress)
    }

    /// Serializes a request of any method, as [`write`](Self::write) does.
    ///
    /// # Errors
    ///
    /// Fails if the connection does not operate, or if the parameters can't be serialized.
    pub(super) fn write_relayed(
        &self,
        method: &str,
        params: &RawJson,
        meta: String,
        wants_progress: bool,
    ) -> Result<Written, CallError> {
        if self.with(|lifecycle| lifecycle.state) != LifecycleState::Operating {
            return Err(CallError::not_sent(None));
        }
        let options = SendOptions::new(method.to_owned(), Timeouts::within(FOREVER));
        self.frame(method, params, meta, options, wants_progress)
    }

    fn frame(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
        mut meta: String,
        options: SendOptions,
        wants_progress: bool,
    ) -> Result<Written, CallError> {
        let id = self.peer.link.next_id();
        if wants_progress {
            let comma = if meta.is_empty() { "" } else { "," };
            meta.push_str(&format!(r#"{comma}"progressToken":{id}"#));
        }
        let mut frame = Vec::new();
        let number = RequestId::Number(id);
        if meta.is_empty() {
            write::request(&mut frame, &number, method, Some(params));
        } else {
            write::request_with_meta(&mut frame, &number, method, &meta, params)
                .map_err(CallError::Params)?;
        }
        Ok(Written { id, frame, options })
    }

    /// Sends a notification that is already serialized.
    pub(super) fn send_notification(&self, frame: Vec<u8>) -> Result<(), CallError> {
        self.peer.send_frame(frame, true)
    }

    fn check_declared(
        &self,
        method: &'static str,
        extension: &'static str,
        revision: Revision,
    ) -> Result<(), Unavailable> {
        let mut of_user = self.shared.client.config.extensions.settings(revision);
        let is_declared = of_user.any(|(id, _)| id == extension)
            || self.extensions.iter().any(|id| id == extension);
        let capability = extension;
        is_declared
            .then_some(())
            .ok_or(Unavailable::NotDeclared { method, capability })
    }

    pub(super) async fn send(&self, written: Written) -> Result<RawJson, CallError> {
        let Written { id, frame, options } = written;
        self.peer.request(id, frame, options).await
    }

    /// Serializes and sends a request. The returned future does not borrow the parameters.
    pub(super) fn request<'a, R: Request>(
        &'a self,
        params: &R::Params,
        meta: &str,
        timeouts: Timeouts,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send + use<'a, R> {
        let kind = RequestKind::of::<R>();
        let written = self.write(
            kind,
            params,
            meta.to_owned(),
            request_options(kind, timeouts),
        );
        async move { self.send(written?).await }
    }

    pub(super) fn notify<N: Notification>(&self) -> Result<(), CallError> {
        self.peer.notify::<N>(None)
    }

    /// Shuts the connection down gracefully, and waits until its resources are released.
    pub(super) async fn close(&self) {
        self.peer.shut_down();
        self.ended().await;
    }

    /// Aborts the connection, and waits until its resources are released.
    pub(super) async fn abort(&self) {
        self.peer.abort();
        self.ended().await;
    }

    /// Returns true if the connection is shutting down or has ended, so that nothing can be sent.
    pub(super) fn is_over(&self) -> bool {
        let state = self.with(|lifecycle| lifecycle.state);
        state >= LifecycleState::ShuttingDown || self.end.borrow().is_some()
    }

    /// Waits for the end of the connection. Returns the error if it did not end gracefully.
    pub(super) async fn ended(&self) -> Option<io::Error> {
        let mut end = self.end.clone();
        // Fails only if the driver was dropped together with its runtime.
        let end = end.wait_for(Option::is_some).await.ok()?;
        end.as_ref()?.as_ref().err().map(shared)
    }
}

/// A serialized request that is ready to be sent.
pub(super) struct Written {
    pub(super) id: i64,
    frame: Vec<u8>,
    options: SendOptions,
}

/// The client's side of a connection, which handles the requests and notifications of the server.
struct ChannelState {
    lifecycle: Mutex<ClientLifecycle>,
    /// Held from a change of the lifecycle until observers have been called, so that they see
    /// changes in order. Always locked before `lifecycle`, which observers may lock.
    announcing: Mutex<()>,
    frames: AtomicU64,
    program: Option<String>,
    /// The server's first line that is not a message, shortened.
    no_message: OnceLock<String>,
    /// True if the server has sent back a request that only clients send.
    is_echo: AtomicBool,
    client: Arc<ClientState>,
}

impl ChannelState {
    /// Queries or changes the lifecycle. A change updates the client's status.
    fn with<T>(&self, f: impl FnOnce(&mut ClientLifecycle) -> T) -> T {
        let _announcing = lock(&self.announcing);
        let mut lifecycle = self.lifecycle();
        let before = lifecycle.state;
        let result = f(&mut lifecycle);
        let after = lifecycle.state;
        drop(lifecycle);
        if before != after {
            self.client.set_status(|status| status.lifecycle = after);
        }
        result
    }

    fn read<T>(&self, method: &str, read: impl FnOnce(&Source<'_>) -> T) -> T {
        let negotiated = self.lifecycle().negotiated.clone();
        let negotiated = negotiated.as_ref();
        read(&Source {
            method,
            tool: None,
            revision: negotiated.map_or(Revision::LATEST, |negotiated| negotiated.revision),
            server: &|| negotiated.map_or_else(String::new, |negotiated| negotiated.peer_name()),
        })
    }

    /// Reads a notification, leaving out the members that do not match the schema.
    fn repaired(
        &self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Result<Option<ServerNotification>, Misfit> {
        let params = params.unwrap_or(RawJsonRef::empty_object());
        let message = OrderedMap::from([
            ("method".to_owned(), RawJson::encode(method)),
            ("params".to_owned(), params.into()),
        ]);
        let message = RawJson::encode(&message);
        self.read(method, |source| {
            source.read_part(message.as_raw(), "ServerNotification")
        })
        .map(Some)
    }

    fn lifecycle(&self) -> MutexGuard<'_, ClientLifecycle> {
        lock(&self.lifecycle)
    }
}

impl Role for Arc<ChannelState> {
    type Answer = RawJson;
    const IS_CLIENT: bool = true;

    fn heard(&mut self) {
        self.frames.fetch_add(1, Ordering::Relaxed);
    }

    fn not_a_message(&mut self, frame: &[u8]) {
        self.no_message.get_or_init(|| {
            let line = String::from_utf8_lossy(&frame[..frame.len().min(4 * EXCERPT_CHARS)]);
            let line: String = line.chars().take(EXCERPT_CHARS).collect();
            let program = self.program.as_deref();
            crate::log::warn!(
                program,
                line,
                "the server sent a line that is not a message; further lines are not logged"
            );
            line.replace(char::is_control, " ")
        });
    }

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<RawJson> {
        if matches!(method, methods::INITIALIZE | methods::SERVER_DISCOVER) {
            self.is_echo.store(true, Ordering::Relaxed);
        }
        if let Some(relay) = &self.client.config.relay
            && method != methods::PING
        {
            return Served::Later((relay.on_request)(method, params));
        }
        let admitted = self.with(|lifecycle| lifecycle.request(method));
        let input = &self.client.config.input;
        let served = admitted.and_then(|()| match method {
            methods::PING => Ok(Served::Now(Ok(RawJson::empty_object()))),
            _ => self
                .read(method, |source| input.serve(source, params))
                .map(Served::Later),
        });
        match served {
            Ok(served) => served,
            Err(error) => {
                tracing::debug!(%id, method, %error, "a request of the server was refused");
                error.into()
            }
        }
    }

    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>) {
        if let Some(relay) = &self.client.config.relay {
            (relay.on_notification)(method, params);
        }
        if !self.with(|lifecycle| lifecycle.notification(method)) {
            tracing::debug!(method, "an unexpected notification was ignored");
            return;
        }
        let known = ServerNotification::from_parts(method, params);
        match known.or_else(|_| self.repaired(method, params)) {
            Ok(known) => {
                let unknown = || ServerNotification::unknown(method, params);
                let notification = known.unwrap_or_else(unknown);
                self.client.dispatch(notification, subscription(params));
            }
            Err(error) => tracing::debug!(method, %error, "ignoring a malformed notification"),
        }
    }

    fn accepts_batches(&self) -> Result<(), RequestError> {
        self.with(|lifecycle| lifecycle.accepts_batches())
    }

    fn answers(&self) -> bool {
        self.with(|lifecycle| lifecycle.answers())
    }

    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>> {
        // A frame without an id may be output that was printed by mistake, so it gets no answer.
        id.filter(|_| self.answers()).map(ErrorId::Of)
    }

    fn shut_down(&mut self) {
        self.with(ClientLifecycle::shut_down);
    }

    fn terminate(&mut self) {
        self.with(ClientLifecycle::terminate);
    }
}

impl JsonRpcResult for RawJson {
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()> {
        write::result(out, id, self);
        Ok(())
    }
}
