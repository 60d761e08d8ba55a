//! Who answers which question.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use mcp_types::jsonrpc::code;
use mcp_types::{
    ClientCapabilities, ClientCapabilitiesElicitation, ClientCapabilitiesRoots,
    ClientCapabilitiesSampling, Conform, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ErrorObject, InputRequest, JsonObject, ListRootsResult, RawJson, Revision,
    Root,
};
use serde::Serialize;

use super::{ElicitReply, Form, Page, Roots};
use crate::connection::BoxFuture;

pub(super) type Handler<Q, A> = Arc<dyn Fn(Q) -> BoxFuture<A> + Send + Sync>;

/// An answer on its way.
pub(in crate::client) type Answering = BoxFuture<Result<RawJson, ErrorObject>>;

/// Who answers what servers ask.
#[derive(Clone, Default)]
pub(in crate::client) struct Handlers {
    pub(super) form: Option<Handler<Form, ElicitReply>>,
    pub(super) page: Option<Handler<Page, ElicitReply>>,
    pub(super) model:
        Option<Handler<CreateMessageRequestParams, Result<CreateMessageResult, ErrorObject>>>,
    /// Whether the model may be offered tools.
    pub(super) model_uses_tools: bool,
    pub(in crate::client) roots: Option<Roots>,
    /// Finds the roots when they are asked for, where there is no list of them.
    pub(super) roots_now: Option<Handler<(), Result<Vec<Root>, ErrorObject>>>,
}

impl Handlers {
    /// What is declared because of who answers, to a server that speaks `revision`.
    pub(in crate::client) fn capabilities(&self, revision: Revision) -> ClientCapabilities {
        let empty = |present: bool| present.then(JsonObject::new);
        let mut capabilities = ClientCapabilities::new();
        if self.form.is_some() || self.page.is_some() {
            let mut elicitation = ClientCapabilitiesElicitation::new();
            elicitation.form = empty(self.form.is_some());
            elicitation.url = empty(self.page.is_some());
            capabilities.elicitation = Some(elicitation);
        }
        if self.model.is_some() {
            let mut sampling = ClientCapabilitiesSampling::new();
            sampling.tools = empty(self.model_uses_tools);
            capabilities.sampling = Some(sampling);
        }
        if self.roots.is_some() {
            capabilities.roots = Some(ClientCapabilitiesRoots::new().with_list_changed(true));
        } else if self.roots_now.is_some() {
            capabilities.roots = Some(ClientCapabilitiesRoots::new());
        }
        capabilities.conform(revision);
        // Where there are no modes, elicitation means forms.
        if self.form.is_none() {
            let modes = &mut capabilities.elicitation;
            modes.take_if(|modes| modes.url.is_none());
        }
        capabilities
    }

    /// Begins to answer a question. `None` if nobody does.
    pub(in crate::client) fn answer(
        &self,
        request: InputRequest,
        revision: Revision,
    ) -> Option<Answering> {
        match request {
            InputRequest::Elicit(ElicitRequestParams::Form(params)) => {
                let form = self.form.as_ref()?;
                Some(elicited(form(Form::new(*params)), revision))
            }
            InputRequest::Elicit(ElicitRequestParams::Url(params)) => {
                let page = self.page.as_ref()?;
                Some(elicited(page(Page::new(*params)), revision))
            }
            InputRequest::CreateMessage(params) => {
                let model = self.model.as_ref()?;
                if params.tools.is_some() && !self.model_uses_tools {
                    return None;
                }
                let said = model(*params);
                Some(Box::pin(async move { written(said.await?, revision) }))
            }
            InputRequest::ListRoots(_) => {
                let found: BoxFuture<_> = match (&self.roots, &self.roots_now) {
                    (Some(roots), _) => Box::pin(ready(Ok(roots.list()))),
                    (None, find) => find.as_ref()?(()),
                };
                let result = async move { written(ListRootsResult::new(found.await?), revision) };
                Some(Box::pin(result))
            }
            _ => None,
        }
    }
}

fn elicited(reply: BoxFuture<ElicitReply>, revision: Revision) -> Answering {
    Box::pin(async move {
        match reply.await.outcome {
            Ok(result) => written(result, revision),
            Err(reason) => {
                tracing::error!(reason, "a question is answered with an error");
                Err(internal(reason))
            }
        }
    })
}

fn written<T: Serialize + Conform>(
    mut result: T,
    revision: Revision,
) -> Result<RawJson, ErrorObject> {
    result.conform(revision);
    Ok(RawJson::encode(&result))
}

fn internal(reason: String) -> ErrorObject {
    ErrorObject::new(code::INTERNAL_ERROR, reason)
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("form", &self.form.is_some())
            .field("page", &self.page.is_some())
            .field("model", &self.model.is_some())
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}
