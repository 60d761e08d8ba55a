//! Dispatches a request to its handler, after the lifecycle has admitted it.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::{
    Conform, DiscoverRequest, InitializedNotification, Notification, RawJson, RawJsonRef,
    Request as _, RequestId, ResultMetaObject, Revision,
};

use super::trace::Trace;
use super::{Answer, ServerRequest};
use crate::connection::{Peer, Role, Served};
use crate::error::RequestError;
use crate::protocol::{Admission, Negotiated, RequestParams, ServerLifecycle};
use crate::server::context::attach;
use crate::server::{
    Context, IncomingRequest, Server, Session, SessionEdit, StoredSession, input, raw,
};

impl Server {
    /// The server's own result of `server/discover`, with its name.
    pub(crate) fn own_introduction(&self) -> RawJson {
        let router = self.router();
        let mut result = router.discover_result(Revision::LATEST);
        let info = router.settings.info.clone();
        result.meta = Some(ResultMetaObject::new().with_server_info(info));
        result.conform(Revision::LATEST);
        RawJson::encode(&result)
    }

    /// Serves a request if the lifecycle admits it. `admit` returns the decision of the lifecycle.
    pub(crate) fn dispatch<'a>(
        &self,
        request: IncomingRequest<'_>,
        admit: impl FnOnce() -> Result<Admission<'a>, RequestError>,
    ) -> Served<Answer> {
        let trace = Trace::begin(request.id, request.method);
        let served = trace.in_scope(|| match admit()? {
            Admission::Serve(negotiated, params) => {
                trace.admitted(&negotiated, &params);
                if request.method == DiscoverRequest::METHOD {
                    log_client(&negotiated);
                }
                let context = Context::new(self, request, negotiated, &params);
                attach(&context);
                self.call(ServerRequest {
                    method: request.method,
                    params: &params,
                    received: &params,
                    context_clones: context.clones(),
                    context: &context,
                })
            }
            Admission::Initialize(negotiated) => {
                log_client(&negotiated);
                if let Some(raw) = &self.settings().raw {
                    let own = self.own_introduction();
                    let (session, peer, params) = (request.session, request.peer, request.params);
                    let raw = Arc::clone(raw);
                    return Ok(raw.initialize(session, peer, params, &negotiated, own));
                }
                let answer = self.router().initialize(&negotiated);
                Ok(Served::Now(Ok(answer)))
            }
            Admission::Ping => Ok(Served::Now(Ok(Answer::empty()))),
        });
        trace.end(served.unwrap_or_else(Served::from))
    }

    /// Serves a request through the layers of the server, for all transports and eras.
    ///
    /// # Errors
    ///
    /// The same errors as for [`route`](Self::route). With layers, errors are part of the answer.
    pub(in crate::server) fn call(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Served<Answer>, RequestError> {
        match &self.settings().layers {
            None => {
                let served = self.route(request)?;
                let is_kept = request.keeps_context();
                Ok(request.context.end_with(served, is_kept))
            }
            Some(layers) => Ok(layers.serve(request)),
        }
    }

    /// Calls the handler of a request, inside all layers. The answer of a handler that does not wait
    /// is ready immediately, without a future.
    ///
    /// # Errors
    ///
    /// Fails if the parameters are invalid or the requested entry does not exist.
    pub(in crate::server) fn route(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Served<Answer>, RequestError> {
        if let Some(raw) = &self.settings().raw {
            return raw::serve(raw, request);
        }
        if input::may_ask(request.method) {
            input::run(self, request)
        } else {
            self.router().serve(request)
        }
    }
}

/// Logs that a client has connected, either with a handshake or with discovery.
fn log_client(negotiated: &Negotiated) {
    let client = negotiated.peer_name();
    let revision = negotiated.revision;
    tracing::info!(client, %revision, "a client has connected");
}

/// The server's side of a connection, or of a session over HTTP.
pub(crate) struct ServerRole {
    pub(crate) lifecycle: ServerLifecycle,
    server: Server,
    /// The client, for messages that do not belong to any request.
    peer: Peer,
    pub(crate) session: Arc<Session>,
}

impl ServerRole {
    pub(crate) fn new(server: Server, lifecycle: ServerLifecycle, peer: Peer) -> Self {
        Self {
            lifecycle,
            session: server.session(),
            server,
            peer,
        }
    }

    /// Handles a notification. If it completes the handshake, returns what was negotiated, and the
    /// caller must run the hooks.
    pub(crate) fn heard_notification(
        &mut self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
        peer: &Peer,
    ) -> Option<Arc<Negotiated>> {
        if method == InitializedNotification::METHOD {
            return self.initialized(peer);
        }
        if let Some(raw) = self.session.raw() {
            raw.notification(method, params);
            return None;
        }
        tracing::debug!(method, "a notification was ignored");
        None
    }

    /// Completes the handshake, and returns what was negotiated. Returns `None` if there is no
    /// handshake to complete. `peer` is the client, which can be asked.
    pub(crate) fn initialized(&mut self, peer: &Peer) -> Option<Arc<Negotiated>> {
        if !self.lifecycle.initialized() {
            tracing::debug!("an unexpected `notifications/initialized` was ignored");
            return None;
        }
        self.session.edited(|| SessionEdit::Initialized);
        self.operate(peer);
        self.lifecycle.connection.negotiated.clone()
    }

    /// Begins to serve the client after the handshake.
    fn operate(&mut self, peer: &Peer) {
        if let Some(raw) = self.session.raw() {
            self.lifecycle.connection.negotiated = Some(raw.begin(peer));
        }
        let router = self.server.router();
        if router.announces_changes() {
            self.session
                .begin(&self.server.settings().list_changed, self.peer.clone());
        }
        self.lifecycle.connection.operate();
    }

    /// Replaces the state of the session with the stored state, which another process may have
    /// changed. The hooks run only in the process that has received `notifications/initialized`.
    pub(crate) fn restore(&mut self, state: &StoredSession) {
        if state.initialized && self.lifecycle.initialized() {
            let peer = self.peer.clone();
            self.operate(&peer);
        }
        let router = self.server.router();
        self.session.restore(state, |uri| {
            let canonical = router.resources.canonical(uri);
            canonical.map_or_else(|| uri.to_owned(), Cow::into_owned)
        });
    }
}

impl Role for ServerRole {
    const IS_CLIENT: bool = false;
    type Answer = Answer;

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<Answer> {
        self.server.refresh();
        let incoming = IncomingRequest {
            id,
            method,
            params,
            peer: &self.peer,
            session: &self.session,
        };
        let read = || RequestParams::read(incoming.params);
        let admit = || self.lifecycle.request(incoming.method, read);
        self.server.dispatch(incoming, admit)
    }

    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>) {
        let peer = self.peer.clone();
        if let Some(negotiated) = self.heard_notification(method, params, &peer) {
            self.server.initialized(negotiated, self.peer.clone());
        }
    }

    fn accepts_batches(&self) -> Result<(), RequestError> {
        self.lifecycle.connection.accepts_batches()
    }

    fn answers(&self) -> bool {
        true
    }

    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>> {
        Some(match id {
            Some(id) => ErrorId::Of(id),
            None if self.lifecycle.sends_null_ids() => ErrorId::Null,
            None => ErrorId::Absent,
        })
    }

    fn shut_down(&mut self) {
        self.lifecycle.connection.shut_down();
        self.session.end();
    }

    fn terminate(&mut self) {
        self.lifecycle.connection.terminate();
        self.session.end();
    }
}
