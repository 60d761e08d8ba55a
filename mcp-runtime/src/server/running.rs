//! A server at work on one connection.

use std::sync::Arc;

use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::{InitializedNotification, Notification, RawJsonRef, RequestId};

use super::{Answer, IncomingRequest, Server, Session, ShutdownHandle};
use crate::connection::{Commands, Driver, Limits, Peer, Role, Served};
use crate::error::{RequestError, ServeError};
use crate::protocol::{Admission, Negotiated, RequestParams, ServerLifecycle};
use crate::transport::Transport;

/// A server with the limits of one connection, and the queue of commands to it.
#[derive(Debug)]
pub struct Running {
    pub(crate) server: Server,
    pub(crate) limits: Limits,
    /// The way in for commands; on a single connection also the client.
    pub(crate) peer: Peer,
    pub(crate) commands: Commands,
}

impl Running {
    pub(crate) fn new(server: Server, limits: Limits) -> Self {
        let (peer, commands) = Peer::channel();
        Self {
            server,
            limits,
            peer,
            commands,
        }
    }

    pub(crate) fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle::new(self.peer.clone())
    }

    /// Opens one connection, and serves it until it ends.
    pub(crate) async fn serve<T: Transport>(self, transport: T) -> Result<(), ServeError> {
        let halves = transport.open().await.map_err(ServeError::Open)?;
        let lifecycle = self.server.lifecycle();
        let role = ServerRole::new(self.server, lifecycle, self.peer);
        let driver = Driver::new(role, halves, self.commands, self.limits);
        let ended = driver.run().await;
        ended.map_err(ServeError::Connection)
    }
}

/// The role of a server in one connection, or in one session over HTTP.
pub(crate) struct ServerRole {
    lifecycle: ServerLifecycle,
    server: Server,
    /// The client, for messages that belong to none of its requests.
    peer: Peer,
    session: Arc<Session>,
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

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The outcome of the handshake, once there was one.
    pub(crate) fn negotiated(&self) -> Option<&Arc<Negotiated>> {
        self.lifecycle.connection.negotiated()
    }

    /// Decides about a request, whose parameters are read if its method is known.
    ///
    /// # Errors
    ///
    /// The error to answer with.
    pub(crate) fn admit<'a>(
        &mut self,
        method: &str,
        read: impl FnOnce() -> Result<RequestParams<'a>, RequestError>,
    ) -> Result<Admission<'a>, RequestError> {
        self.lifecycle.request(method, read)
    }

    /// Takes note of a notification. Returns the outcome of the handshake when it is done by this:
    /// then hooks are to be called.
    pub(crate) fn initialized(&mut self, method: &str) -> Option<Arc<Negotiated>> {
        if method != InitializedNotification::METHOD || !self.lifecycle.initialized() {
            tracing::debug!(method, "a notification was ignored");
            return None;
        }
        self.session.begin(self.peer.clone());
        self.lifecycle.connection.operate();
        self.lifecycle.connection.negotiated().cloned()
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

    fn notification(&mut self, method: &str, _params: Option<RawJsonRef<'_>>) {
        if let Some(negotiated) = self.initialized(method) {
            self.server.initialized(&negotiated, || self.peer.clone());
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
