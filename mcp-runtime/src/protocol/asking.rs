//! What a client has to be able to do, to be asked something.

use mcp_types::{
    ClientCapabilities, ClientCapabilitiesElicitation, ClientCapabilitiesRoots,
    ClientCapabilitiesSampling, Conform, CreateMessageRequestParams, ElicitRequestParams,
    InputRequest, JsonObject, RawJson, Revision, SamplingMessageContentBlock, Side,
};

use super::{Refusal, Terms, Unavailable};

impl Terms {
    /// Whether the client may be sent a request.
    ///
    /// # Errors
    ///
    /// Why it must not be.
    pub(crate) fn allow(
        &self,
        method: &'static str,
        params: &dyn Fn() -> Option<RawJson>,
    ) -> Result<(), Unavailable> {
        let revision = self.revision;
        if !revision.allows(method, Side::Server) {
            return Err(Unavailable::NotInRevision { method, revision });
        }
        let params = params();
        let params = params.as_ref().map(RawJson::as_raw);
        let Ok(Some(request)) = InputRequest::from_parts(method, params) else {
            return Ok(());
        };
        match Lacking::for_request(self, &request) {
            None => Ok(()),
            Some(Lacking { capability, .. }) => {
                Err(Unavailable::NotDeclared { method, capability })
            }
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
            revision: terms.revision,
        })
    }

    /// The refusal of a call that can't go on without the capability.
    pub(crate) fn refusal(&self) -> Refusal {
        Refusal::MissingCapability {
            missing: serde_json::to_value(&self.needed).unwrap_or_default(),
            revision: self.revision,
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
