//! Methods, and the capabilities of the other side that they require.

use std::sync::Arc;

use mcp_types::jsonrpc::code;
use mcp_types::{
    ClientCapabilities, Conform, CreateMessageRequest, ElicitRequest, Era, ErrorObject,
    InputRequest, ListRootsRequest, MethodInfo, RawJson, Request, Revision, ServerCapabilities,
    Side, error_codes,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Negotiated;
use crate::error::{RequestError, Unavailable};

/// The beginning of the error for a capability that a client of the handshake era did not declare.
const UNSUPPORTED_CAPABILITY: &str = "Unsupported capability";

/// Returns the table entry of a request that `sender` may send in at least one revision.
pub(crate) fn method_info(method: &str, sender: Side) -> Option<&'static MethodInfo> {
    Revision::method(method).filter(|info| {
        let revisions = match sender {
            Side::Client => info.by_client,
            Side::Server => info.by_server,
        };
        info.is_request && !revisions.is_empty()
    })
}

pub(super) fn check_revision(
    info: &'static MethodInfo,
    sender: Side,
    revision: Revision,
) -> Result<(), RequestError> {
    let method = info.name;
    if info.is_sent_by(sender, revision) {
        Ok(())
    } else {
        Err(RequestError::NotInRevision { method, revision })
    }
}

/// Returns the error for a method that is not served, because its capability was not declared.
pub(crate) fn not_offered(method: &str, side: Side, revision: Revision) -> RequestError {
    let info = Revision::method(method);
    match info.and_then(|info| Some((info.name, info.capability(side, revision)?))) {
        Some((method, capability)) => RequestError::NotOffered { method, capability },
        None => RequestError::UnknownMethod(method.to_owned()),
    }
}

impl Negotiated<ServerCapabilities> {
    /// Checks that the client may send a request to the server.
    ///
    /// # Errors
    ///
    /// When the revision does not have the method, or the server does not offer the capability.
    pub(super) fn allows(&self, method: &'static str) -> Result<(), Unavailable> {
        let revision = self.revision;
        let info = Revision::method(method)
            .filter(|info| info.is_sent_by(Side::Client, revision))
            .ok_or(Unavailable::NotInRevision { method, revision })?;
        match info.capability(Side::Server, revision) {
            Some(capability) if !self.offers(capability) => {
                Err(Unavailable::NotOffered { method, capability })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn offers_extension(&self, id: &str) -> bool {
        let offered = self.peer_capabilities.extensions.as_ref();
        offered.is_some_and(|offered| offered.contains_key(id))
    }

    /// Returns true if the server offers `capability`. Unknown capabilities are assumed to be offered.
    fn offers(&self, capability: &str) -> bool {
        let offered = &self.peer_capabilities;
        let resources = offered.resources.as_ref();
        let tasks = offered.tasks.as_ref();
        match capability {
            "completions" => offered.completions.is_some(),
            "logging" => offered.logging.is_some(),
            "prompts" => offered.prompts.is_some(),
            "resources" => resources.is_some(),
            "resources.subscribe" => resources.is_some_and(|it| it.subscribe == Some(true)),
            "tasks" => tasks.is_some(),
            "tasks.cancel" => tasks.is_some_and(|tasks| tasks.cancel.is_some()),
            "tasks.list" => tasks.is_some_and(|tasks| tasks.list.is_some()),
            "tools" => offered.tools.is_some(),
            _ => true,
        }
    }
}

impl Negotiated {
    /// Checks that the server may send a request to the client.
    ///
    /// # Errors
    ///
    /// When the revision does not have the method, or the client did not declare the capability.
    pub(crate) fn allow(&self, method: &'static str, params: &RawJson) -> Result<(), Unavailable> {
        let revision = self.revision;
        if !revision.allows(method, Side::Server) {
            return Err(Unavailable::NotInRevision { method, revision });
        }
        match self.missing(method, &tree(params)) {
            None => Ok(()),
            Some(capability) => Err(Unavailable::NotDeclared { method, capability }),
        }
    }

    pub(crate) fn declares_extension(&self, id: &str) -> bool {
        let declared = self.peer_capabilities.extensions.as_ref();
        declared.is_some_and(|declared| declared.contains_key(id))
    }

    /// Returns the capability, such as `elicitation.url`, that a question requires and the client
    /// did not declare.
    pub(crate) fn missing_capability(&self, question: &InputRequest) -> Option<&'static str> {
        let question = tree(question);
        self.missing(question["method"].as_str()?, &question["params"])
    }

    /// Returns the capability that a request requires and the client did not declare. Declared
    /// capabilities that the client's revision does not have are ignored.
    fn missing(&self, method: &str, params: &Value) -> Option<&'static str> {
        let mut declared = self.peer_capabilities.clone();
        declared.conform(self.revision);
        let declared = json(&declared);
        let mut needed = needed(method, params).iter();
        needed
            .find(|capability| missing(&declaration(capability), Some(&declared)).is_some())
            .copied()
    }
}

pub(crate) fn missing_capability(capability: &str, revision: Revision) -> RequestError {
    missing_error(&declaration(capability), revision)
}

pub(crate) fn missing_extension(id: &str, revision: Revision) -> RequestError {
    missing_error(&json!({"extensions": {id: {}}}), revision)
}

fn needed(method: &str, params: &Value) -> &'static [&'static str] {
    match method {
        ListRootsRequest::METHOD => &["roots"],
        CreateMessageRequest::METHOD if uses_tools(params) => &["sampling", "sampling.tools"],
        CreateMessageRequest::METHOD => &["sampling"],
        ElicitRequest::METHOD if params["mode"] == "url" => &["elicitation.url"],
        // Without a `mode`, the request is for a form (2025-11-25, "Elicitation", section
        // Capabilities).
        ElicitRequest::METHOD => &["elicitation.form"],
        _ => &[],
    }
}

/// Returns true if a sampling request offers tools, or has messages with tool uses or tool results.
fn uses_tools(params: &Value) -> bool {
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

/// Returns the declaration of a capability that is given by its path.
fn declaration(capability: &str) -> Value {
    let names = capability.rsplit('.');
    names.fold(json!({}), |inner, name| json!({name: inner}))
}

/// The capabilities that every client of a server must declare. The default requires nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirement(Arc<Value>);

impl Requirement {
    pub(crate) fn new(capabilities: &ClientCapabilities) -> Self {
        Self(Arc::new(json(capabilities)))
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        let mut both = Value::clone(&self.0);
        merge(&mut both, &other.0);
        Self(Arc::new(both))
    }

    /// Checks that the client declared all required capabilities.
    ///
    /// # Errors
    ///
    /// [`RequestError::MissingCapability`] with the capabilities that are missing.
    pub(super) fn check(&self, negotiated: &Negotiated) -> Result<(), RequestError> {
        if self.0.is_null() {
            return Ok(());
        }
        match missing(&self.0, Some(&json(&negotiated.peer_capabilities))) {
            None => Ok(()),
            Some(missing) => Err(missing_error(&missing, negotiated.revision)),
        }
    }
}

/// Returns the capabilities as JSON. Elicitation without `url` implies forms, which are added
/// (2025-11-25, "Elicitation", section Capabilities).
fn json(capabilities: &ClientCapabilities) -> Value {
    let mut value = tree(capabilities);
    if let Some(Value::Object(elicitation)) = value.get_mut("elicitation")
        && !elicitation.contains_key("url")
    {
        elicitation.entry("form").or_insert_with(|| json!({}));
    }
    value
}

fn tree(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

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

pub(crate) fn is_missing_capability(error: &ErrorObject) -> bool {
    match error.code {
        error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY => true,
        code::INVALID_PARAMS => error.message.starts_with(UNSUPPORTED_CAPABILITY),
        _ => false,
    }
}

fn missing_error(missing: &Value, revision: Revision) -> RequestError {
    let names = names(missing);
    let list = names.join(", ");
    match revision.era() {
        Era::Handshake => {
            let reason =
                format!("the server requires capabilities that the client did not declare: {list}");
            RequestError::MissingCapability {
                code: code::INVALID_PARAMS,
                message: format!("{UNSUPPORTED_CAPABILITY}: {list}"),
                data: json!({"capability": names.first(), "reason": reason}),
            }
        }
        Era::Stateless => RequestError::MissingCapability {
            code: error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY,
            message: format!("Missing required client capability: {list}"),
            data: json!({"requiredCapabilities": missing}),
        },
    }
}

/// Returns the paths of the missing capabilities, such as `sampling.tools`.
fn names(missing: &Value) -> Vec<String> {
    let mut all = Vec::new();
    if let Value::Object(members) = missing {
        for (name, member) in members {
            let inner = names(member);
            if inner.is_empty() {
                all.push(name.clone());
            }
            for inner in inner {
                all.push(format!("{name}.{inner}"));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use mcp_types::{ServerCapabilitiesResources, ServerCapabilitiesTools, methods};

    use super::*;

    fn lacking(required: Value, declared: Value) -> Option<Value> {
        let capabilities = |value| serde_json::from_value::<ClientCapabilities>(value).unwrap();
        let required = capabilities(required);
        let declared = capabilities(declared);
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
        let sampling = CreateMessageRequest::METHOD;
        let eliciting = ElicitRequest::METHOD;
        let cases: [(_, _, &[&str]); 8] = [
            (ListRootsRequest::METHOD, json!({}), &["roots"]),
            (sampling, sample(&[message(block.clone())]), &["sampling"]),
            (
                sampling,
                sample(&[message(block.clone()), message(used.clone())]),
                &["sampling", "sampling.tools"],
            ),
            (
                sampling,
                sample(&[message(json!([block, used]))]),
                &["sampling", "sampling.tools"],
            ),
            (sampling, choosing, &["sampling", "sampling.tools"]),
            (sampling, offering, &["sampling", "sampling.tools"]),
            (eliciting, form, &["elicitation.form"]),
            (eliciting, url, &["elicitation.url"]),
        ];
        for (method, params, need) in cases {
            assert_eq!(needed(method, &params), need, "{params}");
            let request = InputRequest::from_parts(method, Some(RawJson::from(params).as_raw()));
            let request = tree(&request.unwrap().unwrap());
            assert_eq!(needed(method, &request["params"]), need, "{request}");
        }
        assert!(needed("ping", &json!({})).is_empty());
    }

    fn negotiated(revision: Revision) -> Negotiated<ServerCapabilities> {
        let resources = ServerCapabilitiesResources::new();
        Negotiated {
            revision,
            peer_info: None,
            peer_capabilities: ServerCapabilities::new()
                .with_tools(ServerCapabilitiesTools::new())
                .with_resources(resources),
            instructions: None,
        }
    }

    #[test]
    fn what_is_not_offered_is_not_asked_for() {
        let negotiated = negotiated(Revision::V2025_11_25);
        assert_eq!(negotiated.allows(methods::TOOLS_CALL), Ok(()));
        assert_eq!(negotiated.allows(methods::RESOURCES_READ), Ok(()));
        for (method, capability) in [
            (methods::PROMPTS_LIST, "prompts"),
            (methods::RESOURCES_SUBSCRIBE, "resources.subscribe"),
            (methods::LOGGING_SET_LEVEL, "logging"),
            (methods::COMPLETION_COMPLETE, "completions"),
            (methods::TASKS_CANCEL, "tasks.cancel"),
        ] {
            let refused = Unavailable::NotOffered { method, capability };
            assert_eq!(negotiated.allows(method), Err(refused));
        }
    }

    #[test]
    fn the_first_revision_completes_without_a_capability() {
        let negotiated = negotiated(Revision::V2024_11_05);
        assert_eq!(negotiated.allows(methods::COMPLETION_COMPLETE), Ok(()));
    }

    #[test]
    fn what_the_revision_lacks_is_not_asked_for() {
        let negotiated = negotiated(Revision::V2026_07_28);
        let refused = Unavailable::NotInRevision {
            method: methods::PING,
            revision: Revision::V2026_07_28,
        };
        assert_eq!(negotiated.allows(methods::PING), Err(refused));
    }
}
