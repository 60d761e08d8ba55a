//! Capabilities of clients: those that requests to them need, and those that a server requires.

use std::sync::Arc;

use mcp_types::{
    ClientCapabilities, ClientCapabilitiesElicitation, ClientCapabilitiesRoots,
    ClientCapabilitiesSampling, Conform, CreateMessageRequest, CreateMessageRequestParams,
    ElicitRequest, ElicitRequestParams, InputRequest, JsonObject, ListRootsRequest, RawJson,
    Request, Revision, SamplingMessageContentBlock, Side,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Negotiated;
use crate::error::{RequestError, Unavailable};

impl Negotiated {
    /// Whether the client may be sent a request.
    ///
    /// # Errors
    ///
    /// Why it must not be.
    pub(crate) fn allow(&self, method: &'static str, params: &RawJson) -> Result<(), Unavailable> {
        let revision = self.revision;
        if !revision.allows(method, Side::Server) {
            return Err(Unavailable::NotInRevision { method, revision });
        }
        let lacking = Need::of_method(method, params).and_then(|need| Lacking::of(self, need));
        match lacking {
            None => Ok(()),
            Some(Lacking { capability, .. }) => {
                Err(Unavailable::NotDeclared { method, capability })
            }
        }
    }
}

/// What a question needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Roots,
    Sampling,
    SamplingWithTools,
    Form,
    Url,
}

impl Need {
    fn of(request: &InputRequest) -> Option<Self> {
        match request {
            InputRequest::ListRoots(_) => Some(Self::Roots),
            InputRequest::CreateMessage(params) => Some(match uses_tools(params) {
                true => Self::SamplingWithTools,
                false => Self::Sampling,
            }),
            InputRequest::Elicit(ElicitRequestParams::Url(_)) => Some(Self::Url),
            // No mode at all means forms (2025-11-25, "Elicitation", section Capabilities).
            InputRequest::Elicit(_) => Some(Self::Form),
            _ => None,
        }
    }

    /// What a request needs whose parameters are written already. They are looked at as they are:
    /// the decoders of all that a question may hold are a tenth of a small server.
    fn of_method(method: &str, params: &RawJson) -> Option<Self> {
        let read = || tree(params);
        match method {
            ListRootsRequest::METHOD => Some(Self::Roots),
            CreateMessageRequest::METHOD => Some(match names_tools(&read()) {
                true => Self::SamplingWithTools,
                false => Self::Sampling,
            }),
            ElicitRequest::METHOD => {
                let is_url = read()["mode"] == "url";
                Some(if is_url { Self::Url } else { Self::Form })
            }
            _ => None,
        }
    }
}

/// A capability that a question needs and the client did not declare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lacking {
    /// The capability's name, such as `elicitation.url`.
    pub(crate) capability: &'static str,
    needed: ClientCapabilities,
    revision: Revision,
}

impl Lacking {
    /// What the client would have to declare for `request`, if it did not. What it declared but
    /// its revision does not know counts for nothing.
    pub(crate) fn for_request(negotiated: &Negotiated, request: &InputRequest) -> Option<Self> {
        Self::of(negotiated, Need::of(request)?)
    }

    fn of(negotiated: &Negotiated, need: Need) -> Option<Self> {
        let mut declared = negotiated.peer_capabilities.clone();
        declared.conform(negotiated.revision);
        let (capability, needed) = need.lacks(&declared)?;
        Some(Self {
            capability,
            needed,
            revision: negotiated.revision,
        })
    }

    /// The refusal of a call that can't go on without the capability.
    pub(crate) fn refusal(&self) -> RequestError {
        RequestError::MissingCapability {
            missing: tree(&self.needed),
            revision: self.revision,
        }
    }
}

impl Need {
    /// The capability that is lacking, and how it is declared.
    fn lacks(self, declared: &ClientCapabilities) -> Option<(&'static str, ClientCapabilities)> {
        let needed = ClientCapabilities::new();
        let elicitation = ClientCapabilitiesElicitation::new();
        let known = declared.elicitation.as_ref();
        let (capability, present, needed) = match self {
            Self::Roots => {
                let roots = ClientCapabilitiesRoots::new();
                ("roots", declared.roots.is_some(), needed.with_roots(roots))
            }
            Self::SamplingWithTools if let Some(known) = &declared.sampling => {
                let sampling = ClientCapabilitiesSampling::new().with_tools(JsonObject::new());
                let needed = needed.with_sampling(sampling);
                ("sampling.tools", known.tools.is_some(), needed)
            }
            Self::Sampling | Self::SamplingWithTools => {
                let sampling = ClientCapabilitiesSampling::new();
                let needed = needed.with_sampling(sampling);
                ("sampling", declared.sampling.is_some(), needed)
            }
            Self::Url => (
                "elicitation.url",
                known.is_some_and(|known| known.url.is_some()),
                needed.with_elicitation(elicitation.with_url(JsonObject::new())),
            ),
            Self::Form => (
                "elicitation.form",
                known.is_some_and(|known| known.form.is_some() || known.url.is_none()),
                needed.with_elicitation(elicitation.with_form(JsonObject::new())),
            ),
        };
        (!present).then_some((capability, needed))
    }
}

/// Whether a conversation is of use only to a model that is offered tools.
fn uses_tools(params: &CreateMessageRequestParams) -> bool {
    let is_about_tools = |block: &SamplingMessageContentBlock| {
        matches!(
            block,
            SamplingMessageContentBlock::ToolUse(_) | SamplingMessageContentBlock::ToolResult(_)
        )
    };
    let mut messages = params.messages.iter();
    params.tools.is_some()
        || params.tool_choice.is_some()
        || messages.any(|message| message.content.as_slice().iter().any(is_about_tools))
}

/// The same of a conversation as it is sent.
fn names_tools(params: &Value) -> bool {
    let is_about_tools =
        |block: &Value| block["type"] == "tool_use" || block["type"] == "tool_result";
    let is_message_about_tools = |message: &Value| match &message["content"] {
        Value::Array(blocks) => blocks.iter().any(is_about_tools),
        block => is_about_tools(block),
    };
    let messages = params["messages"].as_array();
    !params["tools"].is_null()
        || !params["toolChoice"].is_null()
        || messages.is_some_and(|messages| messages.iter().any(is_message_about_tools))
}

/// Capabilities that each client of a server must declare; none, unless set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirement(Option<Arc<Value>>);

impl Requirement {
    pub(crate) fn new(capabilities: &ClientCapabilities) -> Self {
        Self(Some(Arc::new(json(capabilities))))
    }

    /// Requires the capabilities of both.
    pub(crate) fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Some(ours), Some(theirs)) => {
                let mut both = Value::clone(ours);
                merge(&mut both, theirs);
                Self(Some(Arc::new(both)))
            }
            (ours, theirs) => Self(ours.clone().or_else(|| theirs.clone())),
        }
    }

    /// Checks that the client has all of them.
    ///
    /// # Errors
    ///
    /// [`RequestError::MissingCapability`] with those that it lacks.
    pub(super) fn check(&self, negotiated: &Negotiated) -> Result<(), RequestError> {
        let Some(required) = &self.0 else {
            return Ok(());
        };
        let declared = json(&negotiated.peer_capabilities);
        match missing(required, Some(&declared)) {
            None => Ok(()),
            Some(missing) => Err(RequestError::MissingCapability {
                missing,
                revision: negotiated.revision,
            }),
        }
    }
}

/// The capabilities as they travel, with what an empty member stands for: a client that can be
/// asked at all can be asked with a form (2025-11-25, "Elicitation", section Capabilities).
fn json(capabilities: &ClientCapabilities) -> Value {
    let mut value = tree(capabilities);
    if let Some(Value::Object(elicitation)) = value.get_mut("elicitation")
        && elicitation.is_empty()
    {
        elicitation.insert("form".to_owned(), Value::Object(Map::new()));
    }
    value
}

/// A value of the model as a tree.
pub(crate) fn tree(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Adds what `more` has to `required`.
fn merge(required: &mut Value, more: &Value) {
    match (required, more) {
        (Value::Object(required), Value::Object(more)) => {
            for (name, member) in more {
                merge(required.entry(name).or_insert(Value::Null), member);
            }
        }
        (_, Value::Null | Value::Bool(false)) => {}
        (required, more) => *required = more.clone(),
    }
}

/// The part of `required` that `declared` does not have.
fn missing(required: &Value, declared: Option<&Value>) -> Option<Value> {
    match (required, declared) {
        (Value::Object(members), Some(Value::Object(declared))) => {
            let mut lacking = Map::new();
            for (name, member) in members {
                if let Some(missing) = missing(member, declared.get(name)) {
                    lacking.insert(name.clone(), missing);
                }
            }
            (!lacking.is_empty()).then_some(Value::Object(lacking))
        }
        (Value::Object(_), Some(_)) | (_, None) => Some(required.clone()),
        (Value::Bool(false) | Value::Null, _) => None,
        (required, Some(declared)) => (required != declared).then(|| required.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::era_errors::names;

    fn lacking(required: Value, declared: Value) -> Option<Value> {
        let capabilities = |value| serde_json::from_value::<ClientCapabilities>(value).unwrap();
        let (required, declared) = (capabilities(required), capabilities(declared));
        missing(&json(&required), Some(&json(&declared)))
    }

    #[test]
    fn what_is_declared_is_not_missing() {
        for (required, declared) in [
            (json!({}), json!({})),
            (
                json!({"sampling": {}}),
                json!({"sampling": {"tools": {}}, "roots": {}}),
            ),
            (
                json!({"elicitation": {}}),
                json!({"elicitation": {"form": {}}}),
            ),
            (
                json!({"elicitation": {"form": {}}}),
                json!({"elicitation": {}}),
            ),
            (
                json!({"roots": {"listChanged": true}}),
                json!({"roots": {"listChanged": true}}),
            ),
        ] {
            assert_eq!(lacking(required, declared), None);
        }
    }

    #[test]
    fn only_what_is_missing_is_named() {
        let required = json!({"sampling": {"tools": {}}, "roots": {}});
        let lacks = lacking(required.clone(), json!({"sampling": {}})).unwrap();
        assert_eq!(lacks, required);
        assert_eq!(names(&lacks), ["roots", "sampling.tools"]);
        let required = json!({"elicitation": {"url": {}, "form": {}}});
        let lacks = lacking(required, json!({"elicitation": {}})).unwrap();
        assert_eq!(lacks, json!({"elicitation": {"url": {}}}));
        assert_eq!(
            names(&json!({"roots": {"listChanged": true}})),
            ["roots.listChanged"]
        );
    }

    #[test]
    fn what_is_written_needs_what_it_was_written_from_does() {
        let block = json!({"type": "text", "text": "hm"});
        let used = json!({"type": "tool_use", "id": "1", "name": "t", "input": {}});
        let message = |content| json!({"role": "assistant", "content": content});
        let sample = |messages: &[Value]| json!({"maxTokens": 1, "messages": messages});
        let mut choosing = sample(&[]);
        choosing["toolChoice"] = json!({"mode": "auto"});
        let mut offering = sample(&[]);
        offering["tools"] = json!([]);
        let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
        let url = json!({"mode": "url", "message": "?", "url": "a:b", "elicitationId": "1"});
        let (sampling, eliciting) = (CreateMessageRequest::METHOD, ElicitRequest::METHOD);
        for (method, params, need) in [
            (ListRootsRequest::METHOD, json!({}), Need::Roots),
            (sampling, sample(&[message(block.clone())]), Need::Sampling),
            (
                sampling,
                sample(&[message(block.clone()), message(used.clone())]),
                Need::SamplingWithTools,
            ),
            (
                sampling,
                sample(&[message(json!([block, used]))]),
                Need::SamplingWithTools,
            ),
            (sampling, choosing, Need::SamplingWithTools),
            (sampling, offering, Need::SamplingWithTools),
            (eliciting, form, Need::Form),
            (eliciting, url, Need::Url),
        ] {
            let params = mcp_types::RawJson::from(params);
            let request = InputRequest::from_parts(method, Some(params.as_raw()));
            assert_eq!(Need::of(&request.unwrap().unwrap()), Some(need), "{params}");
            assert_eq!(Need::of_method(method, &params), Some(need), "{params}");
        }
        assert_eq!(Need::of_method("ping", &RawJson::empty_object()), None);
    }
}
