//! What a client has to be able to do, to be asked something.

use mcp_types::jsonrpc::code;
use mcp_types::{
    ClientCapabilities, ClientCapabilitiesElicitation, ClientCapabilitiesRoots,
    ClientCapabilitiesSampling, Conform, CreateMessageRequestParams, ElicitRequestParams, Era,
    ErrorObject, InputRequest, JsonObject, RawJson, Revision, SamplingMessageContentBlock,
    error_codes,
};

use super::Terms;

/// A capability that a question needs and the client did not declare.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lacking {
    /// The capability's name, such as `elicitation.url`.
    pub(crate) capability: &'static str,
    needed: ClientCapabilities,
    era: Era,
}

impl Lacking {
    /// What the client would have to declare for `request`, if it did not. What it declared but
    /// its revision does not know counts for nothing.
    pub(crate) fn for_request(terms: &Terms, request: &InputRequest) -> Option<Self> {
        let mut declared = terms.client_capabilities.clone();
        declared.conform(terms.revision);
        let (capability, needed) = match request {
            InputRequest::ListRoots(_) => {
                let needed = ClientCapabilities::new().with_roots(ClientCapabilitiesRoots::new());
                declared.roots.is_none().then_some(("roots", needed))
            }
            InputRequest::CreateMessage(params) => lacks_sampling(&declared, params),
            InputRequest::Elicit(params) => lacks_elicitation(&declared, params, terms.revision),
            _ => None,
        }?;
        Some(Self {
            capability,
            needed,
            era: terms.revision.era(),
        })
    }

    /// The error that the call is answered with where it can't go on without the capability.
    pub(crate) fn to_error(&self) -> ErrorObject {
        let capability = self.capability;
        match self.era {
            Era::Stateless => {
                let message = format!("Missing required client capability: {capability}");
                let data = serde_json::json!({ "requiredCapabilities": self.needed });
                ErrorObject::new(error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY, message)
                    .with_data(RawJson::from(data))
            }
            Era::Handshake => {
                let reason = "the client did not declare it, and the call needs it";
                let data = serde_json::json!({ "capability": capability, "reason": reason });
                ErrorObject::new(code::INVALID_PARAMS, "Unsupported capability")
                    .with_data(RawJson::from(data))
            }
        }
    }
}

type Needed = (&'static str, ClientCapabilities);

fn lacks_sampling(
    declared: &ClientCapabilities,
    params: &CreateMessageRequestParams,
) -> Option<Needed> {
    let sampling = ClientCapabilitiesSampling::new();
    let Some(known) = &declared.sampling else {
        return Some((
            "sampling",
            ClientCapabilities::new().with_sampling(sampling),
        ));
    };
    if known.tools.is_some() || !uses_tools(params) {
        return None;
    }
    let sampling = sampling.with_tools(JsonObject::new());
    let needed = ClientCapabilities::new().with_sampling(sampling);
    Some(("sampling.tools", needed))
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

fn lacks_elicitation(
    declared: &ClientCapabilities,
    params: &ElicitRequestParams,
    revision: Revision,
) -> Option<Needed> {
    let known = declared.elicitation.as_ref();
    let elicitation = ClientCapabilitiesElicitation::new();
    let (capability, present, elicitation) = match params {
        ElicitRequestParams::Url(_) => (
            "elicitation.url",
            known.is_some_and(|known| known.url.is_some()) && params.exists_in(revision),
            elicitation.with_url(JsonObject::new()),
        ),
        // No mode at all means forms (2025-11-25, "Elicitation", section Capabilities).
        _ => (
            "elicitation.form",
            known.is_some_and(|known| known.form.is_some() || known.url.is_none()),
            elicitation.with_form(JsonObject::new()),
        ),
    };
    let needed = ClientCapabilities::new().with_elicitation(elicitation);
    (!present).then_some((capability, needed))
}
