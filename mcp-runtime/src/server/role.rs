//! A server's part in a connection.

use mcp_types::{InitializedNotification, Notification, RequestId};
use serde_json::value::RawValue;

use super::router::Admitted;
use super::{Answer, Server};
use crate::driver::{Peer, Role, Served};
use crate::protocol::{Admission, LifecycleState, Refusal, ServerLifecycle};

/// Asks the lifecycle what a message means, and the router to serve it.
pub(super) struct ServerRole {
    lifecycle: ServerLifecycle,
    server: Server,
    peer: Peer,
}

impl ServerRole {
    pub(super) fn new(server: Server, peer: Peer) -> Self {
        Self {
            lifecycle: ServerLifecycle::new(server.router().revisions()),
            server,
            peer,
        }
    }
}

impl Role for ServerRole {
    type Answer = Answer;

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Served<Answer> {
        let router = self.server.router();
        match self.lifecycle.request(method, params) {
            Ok(Admission::Serve(terms)) => router.serve(Admitted {
                id,
                method,
                params,
                terms: &terms,
                peer: &self.peer,
            }),
            Ok(Admission::Initialize(terms)) => Served::Now(Ok(router.initialize(&terms))),
            Ok(Admission::Ping) => Served::Now(Ok(Answer::empty())),
            Err(refusal) => {
                tracing::debug!(%id, method, %refusal, "a request was refused");
                refusal.into()
            }
        }
    }

    fn notification(&mut self, method: &str, _params: Option<&RawValue>) {
        if method == InitializedNotification::METHOD && self.lifecycle.initialized() {
            self.lifecycle.operate();
        } else {
            tracing::debug!(method, "a notification was ignored");
        }
    }

    fn accepts_batches(&self) -> Result<(), Refusal> {
        self.lifecycle.accepts_batches()
    }

    fn sends_null_ids(&self) -> bool {
        self.lifecycle.sends_null_ids()
    }

    fn state(&self) -> LifecycleState {
        self.lifecycle.state()
    }

    fn shut_down(&mut self) {
        self.lifecycle.shut_down();
    }

    fn terminate(&mut self) {
        self.lifecycle.terminate();
    }
}
