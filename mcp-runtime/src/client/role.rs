//! A client's part in a connection.

use std::sync::Arc;

use mcp_types::jsonrpc::RequestId;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::{InputRequest, RawJson, RawJsonRef, Revision, Side, methods};

use super::config::Config;
use super::dispatcher::Dispatcher;
use super::memory::Memory;
use super::opener::Shared;
use super::session::Session;
use crate::connection::{Outgoing, Role, Served};
use crate::error::RequestError;
use crate::limits::EXCERPT_CHARS;
use crate::protocol::{ClientLifecycle, decode_params, not_offered};

/// Asks the lifecycle what a message of the server means, and serves it.
pub(super) struct ClientRole {
    session: Arc<Session>,
    dispatcher: Arc<Dispatcher>,
    memory: Arc<Memory>,
    config: Arc<Config>,
    /// Whether the server has sent something that is no message.
    warned: bool,
}

impl ClientRole {
    pub(super) fn new(session: Arc<Session>, shared: &Shared) -> Self {
        Self {
            session,
            dispatcher: Arc::clone(&shared.dispatcher),
            memory: Arc::clone(&shared.memory),
            config: Arc::clone(&shared.config),
            warned: false,
        }
    }

    fn serve(
        &self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Result<Served<RawJson>, RequestError> {
        let revision = self.session.with(|lifecycle| {
            lifecycle.request(method)?;
            let negotiated = lifecycle.negotiated();
            Ok::<_, RequestError>(negotiated.map_or(Revision::LATEST, |agreed| agreed.revision))
        })?;
        match method {
            methods::PING => Ok(Served::Now(Ok(RawJson::empty_object()))),
            _ => self.answer(method, params, revision),
        }
    }

    /// Lets whoever is there for it answer what the server asks, beside the connection.
    fn answer(
        &self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
        revision: Revision,
    ) -> Result<Served<RawJson>, RequestError> {
        let offered = self.config.handlers.capabilities(revision);
        let request = match method {
            methods::ELICITATION_CREATE if offered.elicitation.is_some() => {
                InputRequest::Elicit(decode_params(params)?)
            }
            methods::SAMPLING_CREATE_MESSAGE if offered.sampling.is_some() => {
                InputRequest::CreateMessage(decode_params(params)?)
            }
            methods::ROOTS_LIST => InputRequest::ListRoots(None),
            _ => return Err(not_offered(method, Side::Client, revision)),
        };
        let answering = self.config.handlers.answer(request, revision);
        let answering = answering.ok_or_else(|| not_offered(method, Side::Client, revision))?;
        Ok(Served::Later(answering))
    }
}

impl Role for ClientRole {
    type Answer = RawJson;
    const IS_CLIENT: bool = true;

    fn heard(&mut self) {
        self.session.heard();
    }

    fn not_a_message(&mut self, frame: &[u8]) {
        if std::mem::replace(&mut self.warned, true) {
            return;
        }
        let line = String::from_utf8_lossy(&frame[..frame.len().min(4 * EXCERPT_CHARS)]);
        let line: String = line.chars().take(EXCERPT_CHARS).collect();
        tracing::warn!(
            line,
            "the server has sent what is no message; only logged once"
        );
    }

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<RawJson> {
        self.serve(method, params).unwrap_or_else(|refusal| {
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
            self.dispatcher.publish(method, params);
        } else {
            tracing::debug!(method, "a notification out of place was ignored");
        }
    }

    fn accepts_batches(&self) -> Result<(), RequestError> {
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
        write::result(out, id, self);
        Ok(())
    }
}
