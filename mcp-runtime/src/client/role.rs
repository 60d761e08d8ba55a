//! A client's part in a connection.

use std::sync::Arc;

use mcp_types::jsonrpc::RequestId;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::{RawJson, RawJsonRef, Revision, Side, methods};

use super::hub::Hub;
use super::memory::Memory;
use super::opener::Shared;
use super::session::Session;
use crate::driver::{Outgoing, Role, Served};
use crate::protocol::{ClientLifecycle, Refusal, not_offered};

/// Asks the lifecycle what a message of the server means, and serves it.
pub(super) struct ClientRole {
    session: Arc<Session>,
    hub: Arc<Hub>,
    memory: Arc<Memory>,
}

impl ClientRole {
    pub(super) fn new(session: Arc<Session>, shared: &Shared) -> Self {
        Self {
            session,
            hub: Arc::clone(&shared.hub),
            memory: Arc::clone(&shared.memory),
        }
    }

    fn serve(&self, method: &str) -> Result<Served<RawJson>, Refusal> {
        let revision = self.session.with(|lifecycle| {
            lifecycle.request(method)?;
            let agreement = lifecycle.agreement();
            Ok::<_, Refusal>(agreement.map_or(Revision::LATEST, |agreed| agreed.revision))
        })?;
        match method {
            methods::PING => Ok(Served::Now(Ok(RawJson::empty_object()))),
            _ => Err(not_offered(method, Side::Client, revision)),
        }
    }
}

impl Role for ClientRole {
    type Answer = RawJson;

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        _params: Option<RawJsonRef<'_>>,
    ) -> Served<RawJson> {
        self.serve(method).unwrap_or_else(|refusal| {
            tracing::debug!(%id, method, %refusal, "a request of the server was refused");
            refusal.into()
        })
    }

    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>) {
        let in_place = self
            .session
            .with(|lifecycle| lifecycle.notification(method));
        if in_place && method == methods::NOTIFICATIONS_TOOLS_LIST_CHANGED {
            self.memory.forget_tools();
        }
        if in_place {
            self.hub.publish(method, params);
        } else {
            tracing::debug!(method, "a notification out of place was ignored");
        }
    }

    fn accepts_batches(&self) -> Result<(), Refusal> {
        self.session.with(|lifecycle| lifecycle.accepts_batches())
    }

    fn answers(&self) -> bool {
        self.session.with(|lifecycle| lifecycle.answers())
    }

    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>> {
        // What a server prints by mistake is better left without an answer.
        id.filter(|_| self.answers()).map(ErrorId::Of)
    }

    fn shut_down(&mut self) {
        self.session.with(ClientLifecycle::shut_down);
    }

    fn terminate(&mut self) {
        self.session.with(ClientLifecycle::terminate);
    }
}

impl Outgoing for RawJson {
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()> {
        write::result(out, id, self)
    }
}
