//! Translates parameters, results and errors between the eras.

use mcp_types::jsonrpc::code;
use mcp_types::{
    CallToolRequest, CompleteRequest, Conform, DiscoverResult, ErrorObject, GetPromptRequest,
    Implementation, InitializeResult, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, ListToolsRequest, OrderedMap, RawJson, RawJsonRef, ReadResourceRequest,
    Request, Revision, error_codes, meta_keys, methods,
};
use serde::Serialize;
use serde_json::json;

use super::link::ServerLink;
use super::messages::with;
use crate::client::is_cacheable;
use crate::protocol::RESOURCE_NOT_FOUND;
use crate::server::tools::listed_schemas;
use crate::sync::lock;

type Members = OrderedMap<RawJson>;

/// The members of a caller's `_meta` that only the stateless era has.
const STATELESS_META: [&str; 4] = [
    meta_keys::PROTOCOL_VERSION,
    meta_keys::CLIENT_INFO,
    meta_keys::CLIENT_CAPABILITIES,
    meta_keys::LOG_LEVEL,
];

/// Converts the result of `server/discover` to an answer to `initialize`.
pub(super) fn initialize_result(discovered: &RawJson, revision: Revision) -> RawJson {
    let found = discovered.parse::<DiscoverResult>();
    let found = found.unwrap_or_else(|_| DiscoverResult::new(Default::default(), [""; 0]));
    let info = found.meta.and_then(|meta| meta.server_info);
    let info = info.unwrap_or_else(|| Implementation::new("", ""));
    let mut result = InitializeResult::new(revision.as_str(), found.capabilities, info);
    result.instructions = found.instructions;
    result.conform(revision);
    RawJson::encode(&result)
}

/// Converts the result of `initialize` to an answer to `server/discover`.
pub(super) fn discover_result(link: &ServerLink) -> RawJson {
    let opened = link.opened();
    let mut members: Members = opened.parse().unwrap_or_default();
    members.retain(|name, _| matches!(&**name, "capabilities" | "instructions"));
    if let Some(capabilities) = members.get_mut("capabilities")
        && let Ok(mut declared) = capabilities.parse::<Members>()
    {
        // In the stateless era, tasks are an extension.
        declared.shift_remove("tasks");
        *capabilities = RawJson::encode(&declared);
    }
    let versions = [Revision::LATEST.as_str()];
    members.insert("supportedVersions".into(), RawJson::encode(&versions));
    to_stateless(methods::SERVER_DISCOVER, &RawJson::encode(&members), link)
}

/// Removes what a server of the handshake era does not know from the parameters of a request.
pub(super) fn to_handshake(params: &RawJson) -> RawJson {
    let Ok(mut members) = params.parse::<Members>() else {
        return params.clone();
    };
    members.retain(|name, _| !matches!(&**name, "inputResponses" | "requestState"));
    let meta = members.get("_meta").map(RawJson::parse::<Members>);
    if let Some(Ok(mut meta)) = meta {
        meta.retain(|name, _| !STATELESS_META.contains(&&**name));
        set_meta(&mut members, &meta);
    }
    RawJson::encode(&members)
}

/// Adds the members that a result must have in the stateless era.
pub(super) fn to_stateless(method: &str, result: &RawJson, link: &ServerLink) -> RawJson {
    let Ok(mut members) = result.parse::<Members>() else {
        return result.clone();
    };
    let mut add = |name: &str, value| {
        members.entry(name.to_owned()).or_insert(value);
    };
    add("resultType", RawJson::encode("complete"));
    if method == methods::SERVER_DISCOVER || is_cacheable(method) {
        add("ttlMs", RawJson::encode(&0));
        add("cacheScope", RawJson::encode("private"));
    }
    let result = RawJson::encode(&members);
    match link.opened().as_raw().member("serverInfo") {
        Some(info) => with(&result, &["_meta", meta_keys::SERVER_INFO], info),
        None => result,
    }
}

/// Adapts the result of a stateless server to a revision with a handshake.
pub(super) fn from_stateless(
    method: &str,
    params: &RawJson,
    result: RawJson,
    revision: Revision,
    link: &ServerLink,
) -> RawJson {
    let result = match method {
        methods::TOOLS_LIST => with_wrapped_schemas(result, link),
        methods::TOOLS_CALL => with_wrapped_content(params, result, link),
        _ => result,
    };
    let result = without_era(result);
    if revision == Revision::LATEST_HANDSHAKE {
        // Unknown members stay.
        return result;
    }
    let conformed = match method {
        methods::TOOLS_CALL => conformed::<CallToolRequest>(&result, revision),
        methods::TOOLS_LIST => conformed::<ListToolsRequest>(&result, revision),
        methods::PROMPTS_LIST => conformed::<ListPromptsRequest>(&result, revision),
        methods::PROMPTS_GET => conformed::<GetPromptRequest>(&result, revision),
        methods::RESOURCES_LIST => conformed::<ListResourcesRequest>(&result, revision),
        methods::RESOURCES_TEMPLATES_LIST => {
            conformed::<ListResourceTemplatesRequest>(&result, revision)
        }
        methods::RESOURCES_READ => conformed::<ReadResourceRequest>(&result, revision),
        methods::COMPLETION_COMPLETE => conformed::<CompleteRequest>(&result, revision),
        _ => None,
    };
    conformed.unwrap_or(result)
}

/// Removes the members that only results of the stateless era have.
fn without_era(result: RawJson) -> RawJson {
    let mut members: Members = result.parse().unwrap_or_default();
    members.retain(|name, _| !matches!(&**name, "resultType" | "ttlMs" | "cacheScope"));
    if let Some(Ok(mut meta)) = members.get("_meta").map(RawJson::parse::<Members>) {
        meta.shift_remove(meta_keys::SERVER_INFO);
        set_meta(&mut members, &meta);
    }
    RawJson::encode(&members)
}

/// Replaces `_meta`, or removes it if it is empty.
fn set_meta(members: &mut Members, meta: &Members) {
    if meta.is_empty() {
        members.shift_remove("_meta");
    } else {
        members.insert("_meta".into(), RawJson::encode(meta));
    }
}

fn conformed<R>(result: &RawJson, revision: Revision) -> Option<RawJson>
where
    R: Request<Result: Conform + Serialize>,
{
    let mut result: R::Result = result.parse().ok()?;
    result.conform(revision);
    Some(RawJson::encode(&result))
}

/// Wraps the output schemas that allow more than objects, and remembers their tools.
fn with_wrapped_schemas(result: RawJson, link: &ServerLink) -> RawJson {
    let tools = result.as_raw().member("tools");
    let Some(Ok(mut tools)) = tools.map(RawJsonRef::parse::<Vec<Members>>) else {
        return result;
    };
    for tool in &mut tools {
        let Some(Ok(schema)) = tool.get("outputSchema").map(RawJson::parse) else {
            continue;
        };
        if let (_, Some(wrapped)) = listed_schemas(schema) {
            tool.insert("outputSchema".into(), wrapped);
            let name = tool.get("name").and_then(|name| name.parse().ok());
            lock(&link.wrapped).extend(name);
        }
    }
    with(&result, &["tools"], tools)
}

/// Wraps structured content that is not an object, or whose tool has a wrapped schema.
fn with_wrapped_content(params: &RawJson, result: RawJson, link: &ServerLink) -> RawJson {
    let Some(content) = result.as_raw().member("structuredContent") else {
        return result;
    };
    let name = params.as_raw().member("name");
    let name: String = name.and_then(|it| it.parse().ok()).unwrap_or_default();
    if content.is_object() && !lock(&link.wrapped).contains(&name) {
        return result;
    }
    let wrapped = RawJson::encode(&OrderedMap::from([("result".to_owned(), content)]));
    with(&result, &["structuredContent"], wrapped)
}

/// Converts an error to the stateless era. If a person must open pages first, that is a result with
/// questions, after which the client calls again.
///
/// # Errors
///
/// The error. The error about a missing resource has another code.
pub(super) fn stateless_error(
    method: &str,
    mut error: ErrorObject,
) -> Result<RawJson, ErrorObject> {
    if error.code == error_codes::URL_ELICITATION_REQUIRED
        && let Some(pages) = error
            .data
            .as_ref()
            .and_then(|it| it.as_raw().member("elicitations"))
        && let Ok(pages) = pages.elements()
    {
        let question = RawJson::from(json!({"method": methods::ELICITATION_CREATE}));
        let pages = pages
            .into_iter()
            .map(|page| with(&question, &["params"], page));
        let keys = (0..).map(|key: u64| key.to_string());
        let requests: OrderedMap<_> = keys.zip(pages).collect();
        let required = json!({"resultType": "input_required"}).into();
        return Ok(with(&required, &["inputRequests"], requests));
    }
    if method == methods::RESOURCES_READ && error.code == RESOURCE_NOT_FOUND {
        error.code = code::INVALID_PARAMS;
    }
    Err(error)
}

/// Gives the error about a missing resource the code of the handshake era.
pub(super) fn handshake_error(method: &str, mut error: ErrorObject) -> ErrorObject {
    let names_uri = |data: &RawJson| data.as_raw().member("uri").is_some();
    let is_missing = error.code == code::INVALID_PARAMS;
    if method == methods::RESOURCES_READ && is_missing && error.data.as_ref().is_some_and(names_uri)
    {
        error.code = RESOURCE_NOT_FOUND;
    }
    error
}
