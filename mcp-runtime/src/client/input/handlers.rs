//! Handlers for elicitation, sampling and roots.

use std::future::ready;
use std::sync::Arc;

use mcp_types::{
    ClientCapabilities, ClientCapabilitiesElicitation, ClientCapabilitiesRoots,
    ClientCapabilitiesSampling, Conform, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ErrorObject, InputRequest, InputRequiredResult, JsonObject,
    ListRootsResult, OrderedMap, RawJson, RawJsonRef, Revision, Root, Side, methods,
};
use serde::Serialize;
use tokio::sync::watch;

use super::{ElicitReply, Form, Page};
use crate::connection::BoxFuture;
use crate::connection::join_all;
use crate::error::{CallError, RequestError};
use crate::protocol::{decode_params, not_offered};

type Handler<Q, A> = Box<dyn Fn(Q) -> BoxFuture<A> + Send + Sync>;

/// An answer that is being found.
type Answering = BoxFuture<Result<RawJson, ErrorObject>>;

/// The handlers that answer a server's questions.
#[derive(Default)]
pub(in crate::client) struct InputHandlers {
    pub(in crate::client) form: Option<Handler<Form, ElicitReply>>,
    pub(in crate::client) page: Option<Handler<Page, ElicitReply>>,
    pub(in crate::client) sample:
        Option<Handler<CreateMessageRequestParams, Result<CreateMessageResult, ErrorObject>>>,
    pub(in crate::client) sample_with_tools: bool,
    pub(in crate::client) roots: Option<Roots>,
    /// Finds the roots when they are asked for, where there is no list of them.
    pub(in crate::client) find_roots: Option<Handler<(), Result<Vec<Root>, ErrorObject>>>,
}

impl InputHandlers {
    /// The capabilities to declare to a server that speaks `revision`.
    pub(in crate::client) fn capabilities(&self, revision: Revision) -> ClientCapabilities {
        let empty = |present: bool| present.then(JsonObject::new);
        let mut capabilities = ClientCapabilities::new();
        if self.form.is_some() || self.page.is_some() {
            let mut elicitation = ClientCapabilitiesElicitation::new();
            elicitation.form = empty(self.form.is_some());
            elicitation.url = empty(self.page.is_some());
            capabilities.elicitation = Some(elicitation);
        }
        if self.sample.is_some() {
            let mut sampling = ClientCapabilitiesSampling::new();
            sampling.tools = empty(self.sample_with_tools);
            capabilities.sampling = Some(sampling);
        }
        if self.roots.is_some() {
            capabilities.roots = Some(ClientCapabilitiesRoots::new().with_list_changed(true));
        } else if self.find_roots.is_some() {
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

    /// Serves a request of the server.
    ///
    /// # Errors
    ///
    /// When there is no handler for it, or its parameters are malformed.
    pub(in crate::client) fn serve(
        &self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
        revision: Revision,
    ) -> Result<Answering, RequestError> {
        let declared = self.capabilities(revision);
        let request = match method {
            methods::ELICITATION_CREATE if declared.elicitation.is_some() => {
                InputRequest::Elicit(decode_params(params)?)
            }
            methods::SAMPLING_CREATE_MESSAGE if declared.sampling.is_some() => {
                InputRequest::CreateMessage(decode_params(params)?)
            }
            methods::ROOTS_LIST => InputRequest::ListRoots(None),
            _ => return Err(not_offered(method, Side::Client, revision)),
        };
        let answering = self.answer(request, revision);
        answering.ok_or_else(|| not_offered(method, Side::Client, revision))
    }

    /// Begins to answer a question; `None` if there is no handler for it.
    fn answer(&self, request: InputRequest, revision: Revision) -> Option<Answering> {
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
                let sample = self.sample.as_ref()?;
                if params.tools.is_some() && !self.sample_with_tools {
                    return None;
                }
                let sampled = sample(*params);
                Some(Box::pin(
                    async move { Ok(encoded(sampled.await?, revision)) },
                ))
            }
            InputRequest::ListRoots(_) => {
                let roots: BoxFuture<_> = match (&self.roots, &self.find_roots) {
                    (Some(roots), _) => Box::pin(ready(Ok(roots.list()))),
                    (None, find) => find.as_ref()?(()),
                };
                Some(Box::pin(async move {
                    Ok(encoded(ListRootsResult::new(roots.await?), revision))
                }))
            }
            _ => None,
        }
    }

    /// Answers all questions of an `InputRequiredResult` at the same time.
    ///
    /// # Errors
    ///
    /// When there is no handler for one of them, or a handler fails.
    pub(in crate::client) async fn respond(
        &self,
        method: &'static str,
        required: InputRequiredResult,
        revision: Revision,
    ) -> Result<InputResponses, CallError> {
        let mut responses = None;
        if let Some(requests) = &required.input_requests {
            let answering = requests.values();
            let answering = answering.map(|request| self.answer(request.clone(), revision));
            let Some(answering) = answering.collect() else {
                return Err(CallError::InputRequired {
                    method: method.to_owned(),
                    wanted: Box::new(required),
                });
            };
            let responses = responses.insert(OrderedMap::new());
            for (name, answer) in requests.keys().zip(join_all(answering).await) {
                let answer = answer.map_err(|error| CallError::Unanswered {
                    method: method.to_owned(),
                    error,
                })?;
                responses.insert(name.clone(), answer);
            }
        }
        Ok(InputResponses {
            input_responses: responses,
            request_state: required.request_state,
        })
    }
}

/// Members of a call that is sent again with answers (2026-07-28, "Multi Round-Trip Requests").
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::client) struct InputResponses {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<OrderedMap<RawJson>>,
    /// The server's state, as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<String>,
}

fn elicited(reply: BoxFuture<ElicitReply>, revision: Revision) -> Answering {
    Box::pin(async move {
        match reply.await.outcome {
            Ok(result) => Ok(encoded(result, revision)),
            Err(reason) => {
                tracing::error!(reason, "an elicitation is answered with an error");
                Err(RequestError::NoAnswer(reason).to_error())
            }
        }
    })
}

fn encoded<T: Serialize + Conform>(mut result: T, revision: Revision) -> RawJson {
    result.conform(revision);
    RawJson::encode(&result)
}

/// The folders and files that servers should work on (2026-07-28, "Roots"). Cloning is cheap: the
/// clones share the list.
///
/// ```
/// use mcp_runtime::client::Roots;
/// use mcp_runtime::types::Root;
///
/// let roots = Roots::new([Root::new("file:///home/ada/project")]);
/// let client = mcp_runtime::Client::builder("editor", "1.0.0").roots(&roots);
/// // Later: notifies connected servers.
/// roots.set([Root::new("file:///home/ada/other")]);
/// # drop(client);
/// ```
#[derive(Clone, Debug)]
pub struct Roots {
    list: Arc<watch::Sender<Vec<Root>>>,
}

impl Roots {
    /// A list of roots, each with a `file:` URI.
    #[must_use]
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        Self {
            list: Arc::new(watch::Sender::new(roots.into_iter().collect())),
        }
    }

    /// The roots.
    #[must_use]
    pub fn list(&self) -> Vec<Root> {
        self.list.borrow().clone()
    }

    /// Replaces the list, and notifies servers of the handshake era; those of the stateless era ask
    /// whenever they need it.
    pub fn set(&self, roots: impl IntoIterator<Item = Root>) {
        self.list.send_replace(roots.into_iter().collect());
    }

    /// Follows changes of the list.
    pub(in crate::client) fn watch(&self) -> watch::Receiver<Vec<Root>> {
        self.list.subscribe()
    }
}

impl<R: Into<Root>, const N: usize> From<[R; N]> for Roots {
    fn from(roots: [R; N]) -> Self {
        Self::new(roots.map(Into::into))
    }
}

impl From<&Roots> for Roots {
    fn from(roots: &Roots) -> Self {
        roots.clone()
    }
}
