//! The context of a call: its request, its client and its server. It also ends progress and the
//! cancellation token when the call is over.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use mcp_types::{
    ClientCapabilities, Implementation, LoggingLevel, ProgressToken, RawJson, RawJsonRef,
    RequestId, Revision,
};

use super::detachable_link::DetachableLink;
use super::reporter::Reporter;
use super::{CancellationToken, DetachedCall};
use crate::advice::Warnings;
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::protocol::{Namespace, Negotiated, RequestParams, missing_extension};
use crate::server::input::InputState;
use crate::server::subscriptions::Severity;
use crate::server::{Answer, Extension, Server, Session};
use crate::sync::lock;
use crate::values::Values;
use crate::{ProtocolError, TraceContext};

/// The context of a call: who the client is, what was negotiated with it, and how to talk to it.
///
/// A handler takes it by reference. Cloning is cheap.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Greeter;
///
/// #[mcp_server]
/// impl Greeter {
///     /// Greets the calling program.
///     #[tool]
///     fn greet(&self, cx: &Context) -> String {
///         let name = cx.client_info().map_or("stranger", |client| &client.name);
///         format!("Hello, {name}!")
///     }
/// }
/// ```
#[derive(Clone)]
#[doc(alias = "RequestContext")]
pub struct Context {
    request: Arc<RequestContext>,
    mounted: Option<Mounted>,
    /// Values that layers have inserted.
    values: Values,
}

/// The mounted server that serves a request, and its namespace in the server that was called.
#[derive(Clone)]
struct Mounted {
    server: Server,
    namespace: Namespace,
}

/// Everything known about a request, except its method and parameters.
#[derive(Clone)]
struct RequestContext {
    id: RequestId,
    negotiated: Arc<Negotiated>,
    meta: Option<RawJson>,
    progress_token: Option<ProgressToken>,
    /// The lowest severity of log messages that the request asks for.
    log_level: Option<Severity>,
    peer: Peer,
    session: Arc<Session>,
    server: Server,
    /// Created for handlers that may ask the client.
    input: OnceLock<Arc<InputState>>,
    /// Created when a handler takes it.
    cancellation: OnceLock<CancellationToken>,
    /// Created with the first report of progress.
    reporter: OnceLock<Arc<Reporter>>,
    /// Set if an extension may detach the call from its request.
    detachable: Option<Arc<DetachableLink>>,
    called: CalledEntry,
}

#[derive(Default)]
struct CalledEntry {
    /// The scopes that the request needs, and that its caller is known to have.
    scopes: Mutex<Vec<String>>,
    /// The name of the tool, if an extension applies to it.
    tool: OnceLock<Box<str>>,
}

impl Clone for CalledEntry {
    fn clone(&self) -> Self {
        Self {
            scopes: lock(&self.scopes).clone().into(),
            tool: self.tool.clone(),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct IncomingRequest<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Option<RawJsonRef<'a>>,
    pub(crate) peer: &'a Peer,
    /// The session of the client. All stateless clients share one session.
    pub(crate) session: &'a Arc<Session>,
}

impl Context {
    /// Creates the context of a request to `server` that the lifecycle has admitted.
    pub(in crate::server) fn new(
        server: &Server,
        request: IncomingRequest<'_>,
        negotiated: Arc<Negotiated>,
        params: &RequestParams<'_>,
    ) -> Self {
        // Requests with a malformed progress token or log level were refused earlier.
        let meta = &params.meta;
        let level = meta.log_level.and_then(|level| level.parse().ok());
        let level = level
            .as_ref()
            .and_then(|level: &LoggingLevel| Severity::of(level));
        Self {
            request: Arc::new(RequestContext {
                id: request.id.clone(),
                meta: params.shared.meta.map(RawJson::from),
                progress_token: meta.progress_token.and_then(|token| token.parse().ok()),
                log_level: level,
                peer: request.peer.guarded(&negotiated),
                negotiated,
                session: Arc::clone(request.session),
                server: server.clone(),
                input: OnceLock::new(),
                cancellation: OnceLock::new(),
                reporter: OnceLock::new(),
                detachable: None,
                called: CalledEntry::default(),
            }),
            mounted: None,
            values: Values::default(),
        }
    }

    /// Returns the context of the same request for a mounted server, which serves it.
    pub(in crate::server) fn within(&self, server: &Server, namespace: &Namespace) -> Self {
        let joined = self.namespace().map(|outer| outer.join(namespace));
        Self {
            request: Arc::clone(&self.request),
            mounted: Some(Mounted {
                server: server.clone(),
                namespace: joined.unwrap_or_else(|| namespace.clone()),
            }),
            values: self.values.clone(),
        }
    }

    /// The server that the client has called, in which the [server](Self::server) may be mounted.
    pub(super) fn called_server(&self) -> &Server {
        &self.request.server
    }

    /// The namespace of a mounted server in the server that the client has called.
    pub(super) fn namespace(&self) -> Option<&Namespace> {
        self.mounted.as_ref().map(|it| &it.namespace)
    }

    /// Returns the context of the same request for a call that may be detached. It reaches the
    /// client through `peer`, and has its own progress and cancellation token.
    pub(super) fn with_detachable(&self, link: &Arc<DetachableLink>, peer: Peer) -> Self {
        self.input_or_default();
        let request = RequestContext {
            peer,
            cancellation: OnceLock::from(link.token.clone()),
            reporter: OnceLock::new(),
            detachable: Some(Arc::clone(link)),
            ..(*self.request).clone()
        };
        Self {
            request: Arc::new(request),
            ..self.clone()
        }
    }

    /// Sends the last report of progress; later reports are ignored.
    pub(in crate::server) fn finish_progress(&self) {
        if let Some(reporter) = self.request.reporter.get() {
            reporter.finish();
        }
    }

    /// The number of contexts of this request, including this one.
    pub(in crate::server) fn clones(&self) -> usize {
        Arc::strong_count(&self.request)
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    pub(crate) fn set_values(&mut self, values: &Values) {
        self.values = values.clone();
    }

    pub(in crate::server) fn negotiated(&self) -> &Arc<Negotiated> {
        &self.request.negotiated
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.request.session
    }

    /// The number of the connection, or over HTTP of the session. All stateless HTTP clients share
    /// one number.
    pub(crate) fn session_number(&self) -> u64 {
        self.request.session.number
    }

    /// The state of a call whose handler may ask the client.
    pub(in crate::server) fn input(&self) -> Option<&InputState> {
        self.request.input.get().map(|input| &**input)
    }

    pub(in crate::server) fn input_or_default(&self) -> &InputState {
        self.request.input.get_or_init(Arc::default)
    }

    /// Sets the state of a call that is retried, before its handler runs.
    pub(in crate::server) fn set_input(&self, input: InputState) {
        self.request.input.get_or_init(|| Arc::new(input));
    }

    pub(in crate::server) fn log_level(&self) -> Option<Severity> {
        self.request.log_level
    }

    /// Returns true if the request enables log messages (stateless era).
    pub(crate) fn wants_logs(&self) -> bool {
        self.log_level().is_some()
    }

    pub(crate) fn progress_token(&self) -> Option<&ProgressToken> {
        self.request.progress_token.as_ref()
    }

    pub(in crate::server) fn reporter(&self) -> Option<&Arc<Reporter>> {
        let token = self.progress_token()?;
        Some(self.request.reporter.get_or_init(|| {
            let revision = self.revision();
            let peer = self.peer().clone();
            Arc::new(Reporter::new(token.clone(), revision, peer))
        }))
    }

    /// The id of the request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.request.id
    }

    /// The revision of the protocol that the client speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.request.negotiated.revision
    }

    /// The name and version that the client claims to have.
    ///
    /// They are not verified: use them for display and logs, not for decisions.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.request.negotiated.peer_info.as_ref()
    }

    /// The capabilities of the client.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.request.negotiated.peer_capabilities
    }

    /// The `_meta` of the request, verbatim.
    #[must_use]
    pub fn meta(&self) -> Option<&RawJson> {
        self.request.meta.as_ref()
    }

    /// The trace that the request belongs to, if its `_meta` has a well-formed trace context.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::of_meta(self.meta()?.as_raw())
    }

    /// The client, for sending requests and notifications to it.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.request.peer
    }

    /// The server that serves the call, for example to [edit](crate::Server::edit) what it offers.
    ///
    /// A handler can also take a `&Server`.
    #[must_use]
    pub fn server(&self) -> &Server {
        let mounted = self.mounted.as_ref().map(|it| &it.server);
        mounted.unwrap_or(&self.request.server)
    }

    pub(in crate::server) fn warnings(&self) -> &Arc<Warnings> {
        &self.server().state.warnings
    }

    /// The server's extension of type `T`.
    ///
    /// If servers are mounted, the extension of the outer server comes first, then the extension
    /// that a mounted server has brought along.
    #[must_use]
    pub fn extension<T: Extension>(&self) -> Option<&T> {
        self.request.server.settings().extensions.get()
    }

    /// Returns true if the client has declared the extension `id`, in the handshake or in this
    /// request.
    #[must_use]
    pub fn declares_extension(&self, id: &str) -> bool {
        self.negotiated().declares_extension(id)
    }

    /// Checks that the client has declared the extension `id`.
    ///
    /// # Errors
    ///
    /// If the client has not declared it, the error is -32021 with `requiredCapabilities`
    /// (2026-07-28, "Overview", section Error Codes), which has the status 400 over HTTP. In the
    /// handshake era it is -32602.
    pub fn require_extension(&self, id: &str) -> Result<(), ProtocolError> {
        self.check_extension(id).map_err(|error| error.to_error())
    }

    pub(in crate::server) fn check_extension(&self, id: &str) -> Result<(), RequestError> {
        if self.declares_extension(id) {
            Ok(())
        } else {
            Err(missing_extension(id, self.revision()))
        }
    }

    /// The name of the tool as the client called it, including the prefixes of mounts.
    ///
    /// `None` for requests other than `tools/call`, and for tools to which no
    /// [extension](crate::server::Extension) applies.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.request.called.tool.get().map(|name| &**name)
    }

    pub(in crate::server) fn set_tool(&self, name: &str) {
        self.request.called.tool.get_or_init(|| name.into());
    }

    /// The OAuth scopes that the request has needed so far: the scopes of its tool, and of the
    /// mounts that the tool is in.
    #[must_use]
    pub fn needed_scopes(&self) -> Vec<String> {
        lock(&self.request.called.scopes).clone()
    }

    pub(in crate::server) fn add_needed_scopes(&self, scopes: &[String]) {
        lock(&self.request.called.scopes).extend_from_slice(scopes);
    }

    /// Checks that the caller has the OAuth scopes `scopes`. Always succeeds on transports other
    /// than HTTP.
    ///
    /// # Errors
    ///
    /// The error of the access policy. Return it from the handler: the HTTP response then has the
    /// status and the challenge that the policy chose.
    pub fn require_scopes(&self, scopes: &[&str]) -> Result<(), ProtocolError> {
        self.check_scopes(scopes).map_err(|error| error.to_error())
    }

    /// The token that is cancelled when the call is over.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        let token = &self.request.cancellation;
        token.get_or_init(CancellationToken::default)
    }

    /// Returns true if the call was detached from its request, which has then already been
    /// answered.
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.detached().is_some()
    }

    pub(in crate::server) fn detached(&self) -> Option<&Arc<dyn DetachedCall>> {
        self.detachable()?.call()
    }

    pub(in crate::server) fn detachable(&self) -> Option<&Arc<DetachableLink>> {
        self.request.detachable.as_ref()
    }

    /// Sends the last report of progress before the answer, and cancels the token when the call
    /// ends. `is_kept` is true if the handler may have kept a clone of the context.
    pub(in crate::server) fn end_with(
        &self,
        served: Served<Answer>,
        is_kept: bool,
    ) -> Served<Answer> {
        match served {
            Served::Now(_) => {
                self.finish_progress();
                self.end();
                served
            }
            Served::Later(handler) if is_kept || self.request.cancellation.get().is_some() => {
                let end = EndOfCall::of(self);
                Served::Later(Box::pin(async move {
                    let outcome = handler.await;
                    end.finish();
                    outcome
                }))
            }
            served => served,
        }
    }

    /// Ends progress without sending another report, and cancels the token.
    pub(super) fn end(&self) {
        if let Some(reporter) = self.request.reporter.get() {
            reporter.close();
        }
        if let Some(token) = self.request.cancellation.get() {
            token.cancel();
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", self.request_id())
            .field("revision", &self.revision())
            .finish_non_exhaustive()
    }
}

/// Ends progress and cancels the token when the call is answered or its future is dropped.
pub(in crate::server) struct EndOfCall(Context);

impl EndOfCall {
    pub(in crate::server) fn of(context: &Context) -> Self {
        Self(context.clone())
    }

    /// Sends the last report of progress. Call this before the answer is sent.
    pub(in crate::server) fn finish(self) {
        self.0.finish_progress();
    }
}

impl Drop for EndOfCall {
    fn drop(&mut self) {
        self.0.end();
    }
}
