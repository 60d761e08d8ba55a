//! Context of a call: the request, the client, and what a handler takes by reference.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use mcp_types::jsonrpc::code;
use mcp_types::{
    ClientCapabilities, Implementation, LoggingLevel, ProgressToken, RawJson, RawJsonRef,
    RequestId, Revision,
};

use super::CancellationToken;
use super::called::CalledEntry;
use super::reporter::Reporter;
use crate::advice::Warnings;
use crate::connection::{Peer, Served};
use crate::protocol::{Negotiated, RequestParams};
use crate::server::input::InputState;
use crate::server::subscriptions::{Session, Severity};
use crate::server::{Answer, Server};
use crate::values::Values;
use crate::{ProtocolError, TraceContext};

/// Context of a call: the client, what was negotiated with it, and the means to talk to it.
///
/// Cloning is cheap. A handler takes it by reference:
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
    /// The mounted server that serves the request.
    mounted: Option<Server>,
    /// What layers have left.
    values: Values,
}

/// All that is known of a request, apart from its method and parameters.
struct RequestContext {
    id: RequestId,
    negotiated: Arc<Negotiated>,
    meta: Option<RawJson>,
    /// Set if the client asks for progress.
    progress_token: Option<ProgressToken>,
    /// The least severe log messages that the request asks for.
    log_level: Option<Severity>,
    peer: Peer,
    session: Arc<Session>,
    server: Server,
    /// Made for handlers that may ask.
    input: OnceLock<Arc<InputState>>,
    /// Made when a handler takes it.
    cancellation: OnceLock<CancellationToken>,
    /// Made with the first report of progress.
    reporter: OnceLock<Arc<Reporter>>,
    called: CalledEntry,
}

/// A request as it was received.
#[derive(Clone, Copy)]
pub(crate) struct IncomingRequest<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Option<RawJsonRef<'a>>,
    /// The client.
    pub(crate) peer: &'a Peer,
    /// The session of the client; that of all stateless clients for their requests.
    pub(crate) session: &'a Arc<Session>,
}

impl Context {
    /// The context of a request to `server` that the lifecycle has admitted.
    pub(in crate::server) fn new(
        server: &Server,
        request: IncomingRequest<'_>,
        negotiated: Arc<Negotiated>,
        params: &RequestParams<'_>,
    ) -> Self {
        // Requests in which these can't be read were refused before.
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
                called: CalledEntry::default(),
            }),
            mounted: None,
            values: Values::default(),
        }
    }

    /// The context for a mounted server, which serves the request.
    pub(in crate::server) fn at(&self, server: &Server) -> Self {
        Self {
            request: Arc::clone(&self.request),
            mounted: Some(server.clone()),
            values: self.values.clone(),
        }
    }

    /// The context of the same request with another way to the client, and with progress and
    /// cancellation of its own.
    pub(in crate::server) fn with_peer(&self, peer: Peer) -> Self {
        let input = self.request.input.get_or_init(Arc::default);
        let RequestContext {
            id,
            negotiated,
            meta,
            progress_token,
            log_level,
            session,
            server,
            ..
        } = &*self.request;
        Self {
            request: Arc::new(RequestContext {
                id: id.clone(),
                negotiated: Arc::clone(negotiated),
                meta: meta.clone(),
                progress_token: progress_token.clone(),
                log_level: *log_level,
                peer,
                session: Arc::clone(session),
                server: server.clone(),
                input: Arc::clone(input).into(),
                cancellation: OnceLock::new(),
                reporter: OnceLock::new(),
                called: self.request.called.clone(),
            }),
            ..self.clone()
        }
    }

    /// Sends the last report of progress, after which no more are sent.
    pub(in crate::server) fn finish_progress(&self) {
        if let Some(reporter) = self.request.reporter.get() {
            reporter.finish();
        }
    }

    /// The number of clones that there are, this one included.
    pub(in crate::server) fn owners(&self) -> usize {
        Arc::strong_count(&self.request)
    }

    /// The values that layers have left.
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// Replaces the values that layers have left.
    pub(crate) fn set_values(&mut self, values: &Values) {
        self.values = values.clone();
    }

    pub(in crate::server) fn negotiated(&self) -> &Arc<Negotiated> {
        &self.request.negotiated
    }

    pub(in crate::server) fn session(&self) -> &Arc<Session> {
        &self.request.session
    }

    /// The number of the connection, or of the session over HTTP; all stateless clients over HTTP
    /// share one.
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

    pub(in crate::server) fn called(&self) -> &CalledEntry {
        &self.request.called
    }

    /// The least severe log messages that the request asks for.
    pub(in crate::server) fn log_level(&self) -> Option<Severity> {
        self.request.log_level
    }

    pub(in crate::server) fn progress_token(&self) -> Option<&ProgressToken> {
        self.request.progress_token.as_ref()
    }

    /// The sender of progress, if the client requests it.
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

    /// The client's own name and version. Not verified: for display and logs, not for decisions.
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

    /// The trace that the request belongs to, if its `_meta` has a well-formed one.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::of_meta(self.meta()?.as_raw())
    }

    /// The client, to send it requests and notifications.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.request.peer
    }

    /// The server that serves the call, to [edit](crate::Server::edit) what it offers. A handler
    /// may take a `&Server` as well.
    #[must_use]
    pub fn server(&self) -> &Server {
        self.mounted.as_ref().unwrap_or(&self.request.server)
    }

    pub(in crate::server) fn warnings(&self) -> &Arc<Warnings> {
        &self.server().state.warnings
    }

    /// The server that the client is connected to, whatever serves the call.
    pub(in crate::server) fn outer(&self) -> &Server {
        &self.request.server
    }

    /// The token that is cancelled when the call is over.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.token().get_or_init(CancellationToken::default)
    }

    fn token(&self) -> &OnceLock<CancellationToken> {
        self.detachable_token()
            .unwrap_or(&self.request.cancellation)
    }

    /// Ends progress and the cancellation token with the call: the last report goes before the
    /// answer, and nothing after.
    ///
    /// `owners` is the number of clones before the handler ran, which may have kept one.
    pub(in crate::server) fn end_with(
        &self,
        owners: usize,
        served: Served<Answer>,
    ) -> Served<Answer> {
        let is_in_use = self.owners() > owners || self.request.cancellation.get().is_some();
        match served {
            Served::Now(_) => {
                EndOfCall(self.clone()).finish();
                served
            }
            Served::Later(handler) if is_in_use => {
                let end = EndOfCall(self.clone());
                Served::Later(Box::pin(async move {
                    let outcome = handler.await;
                    end.finish();
                    outcome
                }))
            }
            served => served,
        }
    }
}

/// Ends what must not outlive a call when it is answered or dropped.
pub(in crate::server) struct EndOfCall(Context);

impl EndOfCall {
    pub(in crate::server) fn of(context: &Context) -> Self {
        Self(context.clone())
    }

    pub(in crate::server) fn context(&self) -> &Context {
        &self.0
    }

    pub(in crate::server) fn finish(self) {
        self.0.finish_progress();
    }
}

impl Drop for EndOfCall {
    fn drop(&mut self) {
        if let Some(reporter) = self.0.request.reporter.get() {
            reporter.close();
        }
        // A detached call has an end of its own.
        if let Some(token) = self.0.token().get()
            && !self.0.is_detached()
        {
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

/// A value that is made from the context of a call.
///
/// The type of each parameter that a handler takes by reference. Derive it for the caller's
/// [identity](derive@crate::FromContext), implement it for other types of your own.
///
/// ```
/// use mcp_runtime::{Context, FromContext, ProtocolError};
///
/// /// The name that the client goes by.
/// struct ClientName(String);
///
/// impl FromContext for ClientName {
///     fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
///         let name = cx.client_info().map(|info| info.name.clone());
///         Ok(Self(name.unwrap_or_else(|| "nobody".to_owned())))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`&{Self}` cannot be taken from the context of a call",
    label = "does not implement `FromContext`",
    note = "if the caller sends it, take it by value: `{Self}`",
    note = "if it is the caller's identity: `#[derive(FromContext)] #[from_context(identity)]`",
    note = "the context itself is `mcp_runtime::Context`"
)]
pub trait FromContext: Sized + Send + Sync + 'static {
    /// Makes the value.
    ///
    /// # Errors
    ///
    /// When this call has no such value; the call is answered with the error, and the handler does
    /// not run.
    fn from_context(cx: &Context) -> Result<Self, ProtocolError>;

    /// The value as a handler borrows it; by default it is made for the call.
    ///
    /// # Errors
    ///
    /// As for [`from_context`](Self::from_context).
    fn lend(cx: &Context) -> Result<Borrowed<Self>, ProtocolError> {
        Self::from_context(cx).map(Borrowed::made)
    }
}

/// A value that some calls have, and a handler takes as `Option<&T>`.
///
/// Derived together with [`FromContext`](trait@FromContext) for the caller's identity.
#[diagnostic::on_unimplemented(
    message = "`Option<&{Self}>` cannot be taken from the context of a call",
    label = "take `&{Self}`: it is always there",
    note = "only types that some calls lack, such as the caller's identity, are `OptionalFromContext`"
)]
pub trait OptionalFromContext: FromContext {
    /// The value; `None` if this call has none.
    ///
    /// # Errors
    ///
    /// When the value is there and can't be used; the call is answered with the error.
    fn optional(cx: &Context) -> Result<Option<Borrowed<Self>>, ProtocolError>;
}

/// The caller's identity, if it is a `T`.
pub fn identity<T: Any + Clone + Send + Sync>(cx: &Context) -> Option<T> {
    cx.identity().cloned()
}

/// The error of a call by nobody in particular, which has to know who calls.
pub fn no_identity() -> ProtocolError {
    ProtocolError::new(code::INVALID_REQUEST, "This needs to know who calls")
}

#[diagnostic::do_not_recommend]
impl FromContext for Peer {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.peer().clone())
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for Context {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.clone())
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for CancellationToken {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.cancellation().clone())
    }
}

/// A value that a handler takes by reference: made for the call, or shared.
///
/// Returned by [`FromContext::lend`].
pub struct Borrowed<T>(Held<T>);

enum Held<T> {
    Made(T),
    Shared(Arc<dyn AsRef<T> + Send + Sync>),
}

impl<T> Borrowed<T> {
    /// A value that was made for the call.
    #[must_use]
    pub fn made(value: T) -> Self {
        Self(Held::Made(value))
    }

    /// A value that `holder` has.
    #[must_use]
    pub fn shared(holder: Arc<dyn AsRef<T> + Send + Sync>) -> Self {
        Self(Held::Shared(holder))
    }
}

impl<T> Deref for Borrowed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Held::Made(value) => value,
            Held::Shared(holder) => (**holder).as_ref(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Borrowed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
