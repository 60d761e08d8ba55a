//! A server's part in a connection.

use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::{InitializedNotification, Notification, RequestId};
use serde_json::value::RawValue;

use super::router::Admitted;
use super::trace::Trace;
use super::{Answer, Server};
use crate::driver::{Peer, Role, Served};
use crate::protocol::{Admission, Refusal, ServerLifecycle};

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

impl ServerRole {
    fn admit(
        &mut self,
        trace: &Trace,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Served<Answer>, Refusal> {
        let router = self.server.router();
        Ok(match self.lifecycle.request(method, params)? {
            Admission::Serve(terms) => {
                trace.admitted(&terms, params);
                router.serve(Admitted {
                    id,
                    method,
                    params,
                    terms: &terms,
                    peer: &self.peer,
                })?
            }
            Admission::Initialize(terms) => Served::Now(Ok(router.initialize(&terms))),
            Admission::Ping => Served::Now(Ok(Answer::empty())),
        })
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
        let trace = Trace::begin(id, method);
        let served = trace.in_scope(|| self.admit(&trace, id, method, params));
        trace.end(served.unwrap_or_else(Served::from))
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
    }

    fn terminate(&mut self) {
        self.lifecycle.terminate();
    }
}
