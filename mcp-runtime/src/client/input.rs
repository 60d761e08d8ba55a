//! Answers to a server's questions: elicitation, sampling and roots.
//!
//! In the handshake era, the server sends each question as a request. In the stateless era, it
//! answers the call with an `InputRequiredResult`, and the client sends the call again with the
//! answers.

use std::future::ready;

use mcp_types::{
    ClientCapabilities, ClientCapabilitiesElicitation, ClientCapabilitiesRoots,
    ClientCapabilitiesSampling, Conform, CreateMessageRequestParams, CreateMessageResult,
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams,
    ElicitResult, ElicitSchema, ErrorObject, InputRequest, InputRequiredResult, JsonObject,
    ListRootsResult, OrderedMap, RawJson, RawJsonRef, Revision, Root, Side, methods,
};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::source::Source;
use crate::connection::{BoxFuture, join_all};
use crate::deprecations;
use crate::error::{CallError, RequestError};
use crate::protocol::{form, misplaced, not_offered};

type InputHandler<Q, A> = Box<dyn Fn(Q) -> BoxFuture<A> + Send + Sync>;

type Answering = BoxFuture<Result<RawJson, ErrorObject>>;

#[derive(Default)]
pub(super) struct InputHandlers {
    pub(super) form: Option<InputHandler<Form, ElicitReply>>,
    pub(super) page: Option<InputHandler<Page, ElicitReply>>,
    pub(super) sample:
        Option<InputHandler<CreateMessageRequestParams, Result<CreateMessageResult, ErrorObject>>>,
    pub(super) sample_with_tools: bool,
    pub(super) roots: Option<Roots>,
    /// Finds the roots on request. Not used if there is a list of `roots`.
    pub(super) find_roots: Option<InputHandler<(), Result<Vec<Root>, ErrorObject>>>,
}

impl InputHandlers {
    pub(super) fn capabilities(&self, revision: Revision) -> ClientCapabilities {
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
        // In revisions without modes, declaring elicitation means that the client handles forms.
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
    /// Fails if there is no handler for the request, or if its parameters are malformed.
    pub(super) fn serve(
        &self,
        source: &Source<'_>,
        params: Option<RawJsonRef<'_>>,
    ) -> Result<Answering, RequestError> {
        let method = source.method;
        let revision = source.revision;
        let declared = self.capabilities(revision);
        let params = params.unwrap_or(RawJsonRef::empty_object());
        let misplaced = |misfit| misplaced("", misfit);
        let request = match method {
            methods::ELICITATION_CREATE if declared.elicitation.is_some() => {
                let params = source.read_part(params, "ElicitRequestParams");
                InputRequest::Elicit(params.map_err(misplaced)?)
            }
            methods::SAMPLING_CREATE_MESSAGE if declared.sampling.is_some() => {
                let params = source.read_part(params, "CreateMessageRequestParams");
                InputRequest::CreateMessage(params.map_err(misplaced)?)
            }
            methods::ROOTS_LIST => InputRequest::ListRoots(None),
            _ => return Err(not_offered(method, Side::Client, revision)),
        };
        let answering = self.answer(request, revision);
        answering.ok_or_else(|| not_offered(method, Side::Client, revision))
    }

    /// Starts to answer a question. Returns `None` if there is no handler for it.
    fn answer(&self, request: InputRequest, revision: Revision) -> Option<Answering> {
        match request {
            InputRequest::Elicit(params) => {
                let reply = match params {
                    ElicitRequestParams::Form(params) => {
                        self.form.as_ref()?(Form { params: *params })
                    }
                    ElicitRequestParams::Url(params) => {
                        self.page.as_ref()?(Page { params: *params })
                    }
                    _ => return None,
                };
                Some(Box::pin(
                    async move { Ok(encoded(reply.await.0?, revision)) },
                ))
            }
            InputRequest::CreateMessage(params) => {
                let sample = self.sample.as_ref()?;
                if params.tools.is_some() && !self.sample_with_tools {
                    return None;
                }
                deprecations::SAMPLING.warn();
                let sampled = sample(*params);
                Some(Box::pin(
                    async move { Ok(encoded(sampled.await?, revision)) },
                ))
            }
            InputRequest::ListRoots(_) => {
                deprecations::ROOTS.warn();
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

    /// Answers all questions of an `InputRequiredResult` concurrently.
    ///
    /// # Errors
    ///
    /// Fails if a question has no handler, or if a handler fails.
    pub(super) async fn respond(
        &self,
        method: &str,
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

/// The parameters that are added to a call when it is sent again with answers (2026-07-28,
/// "Multi Round-Trip Requests").
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InputResponses {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_responses: Option<OrderedMap<RawJson>>,
    /// The server's opaque state, which is sent back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<String>,
}

fn encoded<T: Serialize + Conform>(mut result: T, revision: Revision) -> RawJson {
    result.conform(revision);
    RawJson::encode(&result)
}

/// The folders and files that servers should work on (2026-07-28, "Roots"). Clones are cheap and
/// share the list.
///
/// ```
/// use mcp_runtime::client::Roots;
/// use mcp_runtime::types::Root;
///
/// let roots = Roots::new([Root::new("file:///home/ada/project")]);
/// let client = mcp_runtime::Client::builder("editor", "1.0.0").roots(&roots);
/// // Later, replace the list. Connected servers are notified.
/// roots.set([Root::new("file:///home/ada/other")]);
/// # drop(client);
/// ```
#[derive(Clone, Debug)]
pub struct Roots {
    pub(super) list: watch::Sender<Vec<Root>>,
}

impl Roots {
    /// Creates a list of roots. Each root must have a `file:` URI.
    #[must_use]
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        Self {
            list: watch::Sender::new(roots.into_iter().collect()),
        }
    }

    /// Returns a copy of the current list.
    #[must_use]
    pub fn list(&self) -> Vec<Root> {
        self.list.borrow().clone()
    }

    /// Replaces the list and notifies servers of the handshake era. Servers of the stateless era
    /// request the list whenever they need it.
    pub fn set(&self, roots: impl IntoIterator<Item = Root>) {
        self.list.send_replace(roots.into_iter().collect());
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

/// The user's answer to an elicitation, as created by the methods of [`Form`] and [`Page`].
#[must_use = "the server is waiting for the reply"]
#[derive(Clone, Debug, PartialEq)]
pub struct ElicitReply(
    /// The result, or the error that the server gets instead.
    Result<ElicitResult, ErrorObject>,
);

impl ElicitReply {
    /// Creates the reply of a user who explicitly declines.
    pub fn decline() -> Self {
        Self::of(ElicitAction::Decline)
    }

    /// Creates the reply of a user who dismisses the question without an answer.
    pub fn cancel() -> Self {
        Self::of(ElicitAction::Cancel)
    }

    pub(crate) fn fault(reason: String) -> Self {
        crate::log::error!(reason, "an elicitation is answered with an error");
        Self::error(RequestError::NoAnswer(reason).to_error())
    }

    pub(crate) fn error(error: ErrorObject) -> Self {
        Self(Err(error))
    }

    fn of(action: ElicitAction) -> Self {
        Self(Ok(ElicitResult::new(action)))
    }
}

/// A form that a server asks the user to fill in (2026-07-28, "Elicitation", section Form Mode
/// Elicitation Requests).
///
/// Show the user which server is asking, and let the user decline.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    params: ElicitRequestFormParams,
}

impl Form {
    /// The question to show to the user.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.params.message
    }

    /// The schema of the fields.
    #[must_use]
    pub fn schema(&self) -> &ElicitSchema {
        &self.params.requested_schema
    }

    /// The parameters of the request, as the server sent them.
    #[must_use]
    pub fn params(&self) -> &ElicitRequestFormParams {
        &self.params
    }

    /// The default values of the fields, which can be shown to the user as suggestions.
    #[must_use]
    pub fn suggestions(&self) -> Map<String, Value> {
        let fields = self.schema().properties.iter();
        let suggested = fields.filter_map(|(name, field)| {
            let field = serde_json::to_value(field).ok()?;
            let default = field.get("default").filter(|value| !value.is_null())?;
            Some((name.to_owned(), default.clone()))
        });
        suggested.collect()
    }

    /// Accepts the form with `content`, which must serialize to an object. Fields that are missing
    /// in `content` get their default values.
    ///
    /// If the content does not match the form, it is not sent. Instead the server gets an error,
    /// and the reason is logged. To show the fault to the user first, call [`check`](Self::check).
    pub fn accept(&self, content: impl Serialize) -> ElicitReply {
        match self.filled(content) {
            Ok(result) => ElicitReply(Ok(result)),
            Err(reason) => ElicitReply::fault(reason),
        }
    }

    fn filled(&self, content: impl Serialize) -> Result<ElicitResult, String> {
        let content = serde_json::to_value(content).map_err(|error| error.to_string())?;
        let Value::Object(content) = content else {
            return Err("the content of a form must be an object".to_owned());
        };
        let mut filled = self.suggestions();
        filled.extend(content);
        form::check(&filled, self.schema())?;
        let content = serde_json::from_value(Value::Object(filled));
        let mut result = ElicitResult::new(ElicitAction::Accept);
        result.content = Some(content.map_err(|error| error.to_string())?);
        Ok(result)
    }

    /// Checks whether [`accept`](Self::accept) would send `content`, filled up with the default
    /// values of missing fields.
    ///
    /// # Errors
    ///
    /// Returns the first fault as a message for the user.
    pub fn check(&self, content: impl Serialize) -> Result<(), String> {
        self.filled(content).map(drop)
    }

    /// Accepts the form with the default values of all fields.
    pub fn accept_suggestions(&self) -> ElicitReply {
        self.accept(Map::new())
    }

    /// Replies that the user explicitly declines.
    pub fn decline(&self) -> ElicitReply {
        ElicitReply::decline()
    }

    /// Replies that the user has dismissed the form without an answer.
    pub fn cancel(&self) -> ElicitReply {
        ElicitReply::cancel()
    }
}

/// A web page that a server asks the user to open, for input that the client must not see
/// (2026-07-28, "Elicitation", section URL Mode Elicitation Requests).
///
/// Show the user which server is asking and the full URL, and open it in a browser only if the user
/// agrees. The client itself never fetches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    params: ElicitRequestUrlParams,
}

impl Page {
    /// The reason for opening the page, to show to the user.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.params.message
    }

    /// The URL of the page.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.params.url
    }

    /// The id of this elicitation. When the user has finished on the page, the server sends
    /// `notifications/elicitation/complete` with the same id (2025-11-25).
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.params.elicitation_id.as_deref()
    }

    /// Replies that the user has agreed and the page was opened. The client does not learn what happens
    /// on the page.
    pub fn accept(&self) -> ElicitReply {
        ElicitReply::of(ElicitAction::Accept)
    }

    /// Replies that the user explicitly declines.
    pub fn decline(&self) -> ElicitReply {
        ElicitReply::decline()
    }

    /// Replies that the user has dismissed the question without an answer.
    pub fn cancel(&self) -> ElicitReply {
        ElicitReply::cancel()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> Form {
        let params = json!({
            "message": "Check this.",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "default": "John Doe"},
                    "age": {"type": "integer", "default": 30, "maximum": 99},
                    "verified": {"type": "boolean", "default": true},
                    "mail": {"type": "string"},
                },
                "required": ["mail"],
            },
        });
        Form {
            params: serde_json::from_value(params).unwrap(),
        }
    }

    #[test]
    fn suggestions_stand_in_for_what_is_left_out() {
        let reply = form().accept(json!({"mail": "a@b.c", "age": 31}));
        let result = serde_json::to_value(reply.0.unwrap()).unwrap();
        let content = json!({"mail": "a@b.c", "age": 31, "name": "John Doe", "verified": true});
        assert_eq!(result, json!({"action": "accept", "content": content}));
    }

    #[test]
    fn what_does_not_fit_is_not_accepted() {
        let fault = |content: Value| form().filled(content).unwrap_err();
        assert_eq!(fault(json!({})), "`mail` is missing");
        assert_eq!(
            fault(json!({"mail": "a", "age": 100})),
            "`age` must be at most 99"
        );
        assert_eq!(fault(json!({"mail": 7})), "`mail` must be text");
        assert_eq!(fault(json!([])), "the content of a form must be an object");
    }
}
