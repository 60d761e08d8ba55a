//! A server's part in a connection.

use std::sync::Arc;

use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::{InitializedNotification, Notification, RawJsonRef, RequestId};

use super::dispatch::Call;
use super::{Answer, Server, Session};
use crate::connection::{Peer, Role, Served};
use crate::error::RequestError;
use crate::protocol::ServerLifecycle;

/// Asks the lifecycle what a message means, and the router to serve it.
pub(super) struct ServerRole {
    lifecycle: ServerLifecycle,
    server: Server,
    peer: Peer,
    session: Arc<Session>,
}

impl ServerRole {
    pub(super) fn new(server: Server, peer: Peer) -> Self {
        Self {
            lifecycle: server.lifecycle(),
            session: server.session(),
            server,
            peer,
        }
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
        let call = Call {
            id,
            method,
            params,
            peer: &self.peer,
            session: &self.session,
        };
        let admit = || self.lifecycle.request(method, params);
        self.server.dispatch(call, admit)
    }

    fn notification(&mut self, method: &str, _params: Option<RawJsonRef<'_>>) {
        if method == InitializedNotification::METHOD && self.lifecycle.initialized() {
            self.session.begin(self.peer.clone());
            self.lifecycle.operate();
            if let Some(negotiated) = self.lifecycle.negotiated() {
                self.server.initialized(negotiated, || self.peer.clone());
            }
        } else {
            tracing::debug!(method, "a notification was ignored");
        }
    }

    fn accepts_batches(&self) -> Result<(), RequestError> {
        self.lifecycle.accepts_batches()
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
        self.lifecycle.shut_down();
        self.session.end();
    }

    fn terminate(&mut self) {
        self.lifecycle.terminate();
        self.session.end();
    }
}
