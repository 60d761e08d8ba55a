//! What a handler may know about the call it serves.

use std::fmt;
use std::sync::{Arc, OnceLock};

use mcp_types::{ClientCapabilities, Implementation, RawJson, RequestId, Revision};

use super::ask::Asking;
use super::progress::{Amount, Reporter, Total};
use super::told::Wishes;
use super::{CancellationToken, Change, Server, Session};
use crate::TraceContext;
use crate::connection::Peer;
use crate::protocol::Negotiated;

/// The call that a handler serves: who calls, under what was negotiated, and the way back.
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
pub struct Context {
    call: Arc<Call>,
}

struct Call {
    id: RequestId,
    negotiated: Arc<Negotiated>,
    meta: Option<RawJson>,
    /// The client, which may not be asked everything.
    peer: Peer,
    /// The client as handlers get it, once one looks.
    guarded: OnceLock<Peer>,
    session: Arc<Session>,
    /// The questions of its handler, made for a handler that may ask.
    asking: OnceLock<Arc<Asking>>,
    /// The mounted server that serves the call, if one does.
    home: OnceLock<Server>,
    /// Made for calls that ask for it.
    cancellation: OnceLock<CancellationToken>,
    wishes: OnceLock<Wishes>,
}

impl Context {
    pub(super) fn new(
        id: RequestId,
        negotiated: Arc<Negotiated>,
        meta: Option<RawJson>,
        peer: Peer,
        session: Arc<Session>,
    ) -> Self {
        let call = Arc::new(Call {
            id,
            negotiated,
            meta,
            peer,
            guarded: OnceLock::new(),
            session,
            asking: OnceLock::new(),
            home: OnceLock::new(),
            cancellation: OnceLock::new(),
            wishes: OnceLock::new(),
        });
        Self { call }
    }

    /// Says that a mounted server serves the call. Only the first word counts: whoever mounts a
    /// server knows which one is the innermost.
    pub(super) fn serve_at(&self, home: &Server) {
        self.call.home.get_or_init(|| home.clone());
    }

    /// Whether somebody else holds this context as well.
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.call) > 1
    }

    pub(super) fn negotiated(&self) -> &Arc<Negotiated> {
        &self.call.negotiated
    }

    pub(super) fn session(&self) -> &Arc<Session> {
        &self.call.session
    }

    pub(super) fn asking_slot(&self) -> &OnceLock<Arc<Asking>> {
        &self.call.asking
    }

    /// The id of the request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.call.id
    }

    /// The revision of the protocol that the client speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.call.negotiated.revision
    }

    /// What the client says it is. Not verified: for display and logs, not for decisions.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.call.negotiated.peer_info.as_ref()
    }

    /// What the client is able to do.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.call.negotiated.peer_capabilities
    }

    /// The `_meta` of the request, verbatim.
    #[must_use]
    pub fn meta(&self) -> Option<&RawJson> {
        self.call.meta.as_ref()
    }

    /// The trace that the request is part of, if the client says so in a well-formed way.
    #[must_use]
    pub fn trace_context(&self) -> Option<TraceContext> {
        TraceContext::of_meta(self.meta()?.as_raw())
    }

    /// The client, to send it requests and notifications.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        let Call {
            negotiated, peer, ..
        } = &*self.call;
        self.call.guarded.get_or_init(|| peer.guarded(negotiated))
    }

    /// The server that serves the call, to [edit](crate::Server::edit) what it offers. A handler
    /// may take a `&Server` as well.
    #[must_use]
    pub fn server(&self) -> &Server {
        let home = self.call.home.get();
        home.unwrap_or_else(|| self.call.session.server())
    }

    /// Reports how far the call has come, of how much in all, and what it is at.
    ///
    /// Only sent to a client that asked for it, only while it grows, and at most fifty times a
    /// second: the last report always goes out before the result. Without a message, say `""`.
    ///
    /// ```
    /// use mcp_runtime::Context;
    ///
    /// fn steps(cx: &Context) {
    ///     cx.progress(1, 3, "reading");
    ///     cx.progress(2.5, 3.0, "still reading");
    ///     cx.progress(3, None, "");
    /// }
    /// ```
    pub fn progress(&self, done: impl Amount, total: impl Total, message: impl Into<String>) {
        if let Some(reporter) = &self.wishes().progress {
            reporter.report(done.amount(), total.total(), message.into());
        }
    }

    /// Whether the client wants to know how far the call has come.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.wishes().progress.is_some()
    }

    pub(super) fn wishes(&self) -> &Wishes {
        self.call.wishes.get_or_init(|| Wishes::of(self))
    }

    /// Where progress is reported, if any was.
    pub(super) fn reporter_in_use(&self) -> Option<&Reporter> {
        self.call.wishes.get()?.progress.as_deref()
    }

    /// Goes on telling where the handler left off when it ran before.
    pub(super) fn go_on_telling(&self, before: &Self) {
        // A context that was just made has nothing to tell yet.
        let _ = self.call.wishes.set(before.wishes().clone());
    }

    /// Tells the clients that want to know of it that something has changed, as
    /// [`Server::notify_changed`](crate::Server::notify_changed) does.
    pub fn notify_changed(&self, change: Change) {
        self.server().notify_changed(change);
    }

    /// Tells the clients that have subscribed to the resource under `uri` that it has changed.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// Tells work that goes on behind the call when nobody waits for it any more.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.call
            .cancellation
            .get_or_init(CancellationToken::default)
    }

    pub(super) fn cancellation_if_wanted(&self) -> Option<&CancellationToken> {
        self.call.cancellation.get()
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
