//! Where a call begins: with what it knows from earlier rounds.

use std::cell::{Cell, OnceCell};

use mcp_types::{Era, RawJson, RawJsonRef};

use super::asking::{Asking, Memory};
use super::state::{Binding, now};
use crate::error::RequestError;
use crate::server::logging::attach;
use crate::server::router::Admitted;
use crate::server::{Context, Server};

/// The context of a request, once it is needed, and what it is made with.
pub(in crate::server) struct Start<'a> {
    server: &'a Server,
    context: OnceCell<Context>,
    /// Lets the context know what a call knows that begins anew without having left the server.
    resumed: Cell<Option<Box<Resumed>>>,
}

type Resumed = dyn FnOnce(&Context);

impl<'a> Start<'a> {
    pub(in crate::server) fn new(server: &'a Server) -> Self {
        Self {
            server,
            context: OnceCell::new(),
            resumed: Cell::new(None),
        }
    }

    /// The start of one more run, after the one with the context `before`.
    pub(super) fn resuming(server: &'a Server, memory: Memory, before: Context) -> Self {
        let start = Self::new(server);
        let patience = server.settings().asking.patience;
        start.resumed.set(Some(Box::new(move |context| {
            context.set_asking(Asking::new(patience, memory));
            context.go_on_telling(&before);
        })));
        start
    }

    /// The context of `request`.
    ///
    /// # Errors
    ///
    /// When the state that a client brings back is not one that it was given for this call.
    pub(in crate::server) fn context(
        &self,
        request: Admitted<'_>,
    ) -> Result<&Context, RequestError> {
        let context = request.new_context();
        attach(&context);
        if let Some(resume) = self.resumed.take() {
            resume(&context);
        } else {
            Self::resume(self.server, request, &context)?;
        }
        Ok(self.context.get_or_init(|| context))
    }

    /// Lets `context` know what a retry brings along.
    ///
    /// # Errors
    ///
    /// When the state is not one that was given out for this call, or the answers are none.
    fn resume(
        server: &Server,
        request: Admitted<'_>,
        context: &Context,
    ) -> Result<(), RequestError> {
        let state = request.params.request_state()?;
        let responses = request.params.input_responses();
        if state.is_none() && responses.is_none() {
            return Ok(());
        }
        // Other revisions have no such members: whatever the client means, it is not this.
        if request.negotiated.revision.era() == Era::Handshake {
            return Ok(());
        }
        let policy = &server.settings().asking;
        let memory = match state.as_deref() {
            None => Memory::default(),
            Some(state) => {
                let binding = binding(request)?;
                let redeemed = policy.states.redeem(state, &binding, now());
                redeemed.map_err(|error| invalid("requestState", &error.to_string()))?
            }
        };
        let responses = responses.map_or(Ok(Vec::new()), read_responses)?;
        context.set_asking(Asking::answered_by(policy.patience, memory, responses));
        Ok(())
    }

    /// The context, if the request got as far as to need one.
    pub(in crate::server) fn into_context(self) -> Option<Context> {
        self.context.into_inner()
    }
}

fn read_responses(responses: RawJsonRef<'_>) -> Result<Vec<(String, RawJson)>, RequestError> {
    let malformed = |reason: &str| invalid("inputResponses", reason);
    let members = responses
        .members()
        .map_err(|_| malformed("expected an object of responses"))?;
    let mut responses = Vec::with_capacity(members.len());
    for (name, response) in members {
        if !response.is_object() {
            return Err(malformed("each response must be an object"));
        }
        responses.push((name, response.into()));
    }
    Ok(responses)
}

fn invalid(member: &str, reason: &str) -> RequestError {
    RequestError::InvalidParams {
        path: format!("params.{member}"),
        reason: reason.to_owned(),
    }
}

/// What a state that is given out for `request` belongs to.
///
/// # Errors
///
/// When the parameters do not fit.
pub(super) fn binding(request: Admitted<'_>) -> Result<Binding, RequestError> {
    let target = request.params.target()?;
    let principal = request.peer.principal();
    Binding::new(
        request.method,
        &target.unwrap_or_default(),
        request.params.raw_arguments(),
        principal,
    )
}
