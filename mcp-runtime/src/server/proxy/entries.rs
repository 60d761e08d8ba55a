//! Entries that forward to the server behind a proxy.

use std::collections::BTreeMap;
use std::future::IntoFuture as _;
use std::sync::{Arc, OnceLock};

use mcp_types::jsonrpc::code;
use mcp_types::{
    CallToolResult, CompleteRequest, CompleteRequestParams, CompletionReference, Prompt,
    PromptReference, RawJson, Resource, ResourceTemplate, ResourceTemplateReference,
    ResultMetaObject, Tool, meta_keys,
};

use super::upstream::Upstream;
use crate::ProtocolError;
use crate::client::{Call, Client};
use crate::error::{CallError, RequestError};
use crate::protocol::{ParamHeader, RESOURCE_NOT_FOUND, is_missing_capability};
use crate::server::completions::Completers;
use crate::server::prompts::PromptEntry;
use crate::server::resources::{Contents, ResourceCall, ResourceEntry, UriTemplate};
use crate::server::tools::{ToolCall, ToolEntry, ToolOutcome, structured};
use crate::server::{BoxFuture, Context, FromContext as _, Progress, Reply};

/// Makes the entry of a tool. Returns `None` if the proxy can't read its schemas.
pub(super) fn tool(upstream: &Arc<Upstream>, tool: Tool) -> Option<ToolEntry> {
    let name = tool.name.clone();
    let entry = forwarded(upstream, tool);
    let entry = entry.inspect_err(|error| {
        crate::log::warn!(tool = name, %error, "a tool is not passed on: a schema can't be read");
    });
    entry.ok()
}

/// Makes the entry of a tool behind the proxy.
///
/// If its output schema allows more than objects, structured content is wrapped in an object for
/// callers whose revision requires one.
fn forwarded(upstream: &Arc<Upstream>, mut tool: Tool) -> serde_json::Result<ToolEntry> {
    let headers = ParamHeader::of_schema(&tool.input_schema)?;
    let mut wrapped_schema = None;
    if let Some(schema) = &mut tool.output_schema {
        (*schema, wrapped_schema) = structured::listed_schemas(schema.parse()?);
    }
    let upstream = Arc::clone(upstream);
    let name = tool.name.clone();
    let forward = move |call: ToolCall<'_>| {
        let arguments = call.arguments.map(RawJson::from);
        let sent = upstream.client.call_tool(name.clone(), arguments);
        let sent = of_caller(&upstream, sent, call.context).forwarded();
        Reply::Pending(forward(&upstream, sent, call.context, tool_outcome))
    };
    let mut entry = ToolEntry::lazy(tool.name.clone(), move || tool, Arc::new(forward));
    entry.wrapped_schema = wrapped_schema;
    entry.param_headers = OnceLock::from(headers);
    Ok(entry)
}

/// Converts the outcome of a tool call. The result of an extension is passed on unchanged.
fn tool_outcome(
    outcome: Result<Result<CallToolResult, RawJson>, CallError>,
) -> Result<ToolOutcome, ProtocolError> {
    let outcome = passed_on(outcome)?;
    Ok(outcome.map_or_else(ToolOutcome::Other, |mut result| {
        remove_server_info(&mut result.meta);
        ToolOutcome::Complete(result)
    }))
}

/// Removes the name of the upstream from a result, to which the proxy adds its own name.
fn remove_server_info(meta: &mut Option<ResultMetaObject>) {
    if let Some(members) = meta {
        members.server_info = None;
        if members.extra.is_empty() {
            *meta = None;
        }
    }
}

pub(super) fn prompt(upstream: &Arc<Upstream>, prompt: Prompt, completes: bool) -> PromptEntry {
    let reference = PromptReference::new(prompt.name.clone()).into();
    let asked = Arc::clone(upstream);
    let name = prompt.name.clone();
    let mut entry = PromptEntry::new(prompt, move |call| {
        let arguments = call.arguments.iter();
        let sent = asked.client.get_prompt(name.clone(), arguments);
        let sent = of_caller(&asked, sent, call.context).into_future();
        Reply::Pending(forward(&asked, sent, call.context, |outcome| {
            let mut result = passed_on(outcome)?;
            remove_server_info(&mut result.meta);
            Ok(result)
        }))
    });
    if completes {
        entry.completers = completers(upstream, reference);
    }
    entry
}

pub(super) fn resource(upstream: &Arc<Upstream>, resource: Resource) -> ResourceEntry {
    let asked = Arc::clone(upstream);
    ResourceEntry::resource(resource, move |call| read(&asked, call))
}

/// Makes the entry of a template. Returns `None` if the proxy can't match URIs with it.
pub(super) fn template(
    upstream: &Arc<Upstream>,
    listed: ResourceTemplate,
    completes: bool,
) -> Option<ResourceEntry> {
    let text = &listed.uri_template;
    let template = UriTemplate::parse(text)
        .inspect_err(|error| crate::log::warn!(text, %error, "a template is not passed on"))
        .ok()?;
    let reference = ResourceTemplateReference::new(text.clone()).into();
    let asked = Arc::clone(upstream);
    let mut entry = ResourceEntry::template(listed, template, move |call| read(&asked, call));
    if completes {
        entry.completers = completers(upstream, reference);
    }
    Some(entry)
}

fn read(upstream: &Upstream, call: ResourceCall<'_>) -> Reply<Contents> {
    let sent = upstream.client.read_resource(call.uri);
    let sent = of_caller(upstream, sent, call.context).into_future();
    let contents = forward(upstream, sent, call.context, |outcome| match outcome {
        Ok(mut result) => {
            remove_server_info(&mut result.meta);
            Ok(Contents::Whole(Box::new(result)))
        }
        Err(CallError::Rpc(error)) if is_not_found(&error) => Ok(Contents::Missing),
        Err(error) => Err(to_protocol_error(error)),
    });
    Reply::Pending(contents)
}

/// Returns true if the error says that the resource does not exist, in any revision.
fn is_not_found(error: &ProtocolError) -> bool {
    let data = error.data.as_ref();
    let names_uri = data.is_some_and(|data| data.get().contains("\"uri\""));
    error.code == RESOURCE_NOT_FOUND || (error.code == code::INVALID_PARAMS && names_uri)
}

/// Makes completers that forward to the server behind the proxy, with that server's `reference` to
/// the item.
fn completers(upstream: &Arc<Upstream>, reference: CompletionReference) -> Completers {
    let upstream = Arc::clone(upstream);
    let forward = move |mut params: CompleteRequestParams| {
        params.reference = reference.clone();
        let meta = params.meta.take().map(|meta| RawJson::encode(&meta));
        let meta = forwarded_meta(meta.as_ref(), &upstream.client);
        let sent = upstream.client.request::<CompleteRequest>(params);
        let sent = sent.with_meta(meta);
        Reply::Pending(Box::pin(async move { passed_on(sent.await) }))
    };
    Completers {
        forward: Some(Arc::new(forward)),
        ..Completers::default()
    }
}

/// Prepares a call for the caller of `context`. It gets the caller's `_meta`, and its progress is
/// reported to a caller that requests it, and extends the time limit.
fn of_caller<R: mcp_types::Request>(
    upstream: &Upstream,
    call: Call<R>,
    context: &Context,
) -> Call<R> {
    let call = call.with_meta(forwarded_meta(context.meta(), &upstream.client));
    match Progress::from_context(context) {
        Ok(progress) if progress.is_wanted() => {
            call.extended_by_progress().on_progress(move |news| {
                let message = news.message.unwrap_or_default();
                progress.report(news.progress, news.total, message);
            })
        }
        _ => call,
    }
}

/// Sends a call for the caller of `context`, and converts its outcome with `convert`.
fn forward<R: Send + 'static, T>(
    upstream: &Upstream,
    call: BoxFuture<Result<R, CallError>>,
    context: &Context,
    convert: impl FnOnce(Result<R, CallError>) -> Result<T, ProtocolError> + Send + 'static,
) -> BoxFuture<Result<T, ProtocolError>> {
    let callers = Arc::clone(&upstream.callers);
    let client = upstream.client.clone();
    let sent = callers.forward(context.clone(), client, call);
    Box::pin(async move { convert(sent.await) })
}

fn passed_on<T>(outcome: Result<T, CallError>) -> Result<T, ProtocolError> {
    outcome.map_err(to_protocol_error)
}

fn to_protocol_error(error: CallError) -> ProtocolError {
    match error {
        CallError::Rpc(error) => error,
        // The caller would get this error without the proxy.
        CallError::Unanswered { error, .. } if is_missing_capability(&error) => error,
        error => {
            crate::log::warn!(%error, "a call could not be passed on");
            // Callers must not see addresses and answers of the server behind the proxy.
            let reason = match &error {
                CallError::Http(error) => format!(
                    "the server behind the proxy answered with HTTP {}",
                    error.status
                ),
                CallError::NotSent(_) => "the server behind the proxy can't be reached".to_owned(),
                CallError::Authentication { .. } => {
                    "the server behind the proxy does not accept the proxy's credentials".to_owned()
                }
                CallError::Lost(_) => {
                    "the answer of the server behind the proxy was lost".to_owned()
                }
                error => error.to_string(),
            };
            RequestError::NotForwarded(reason).to_error()
        }
    }
}

/// The members of `_meta` that belong to one request on one connection. The proxy's client writes
/// its own.
const OF_THE_REQUEST: [&str; 6] = [
    meta_keys::PROGRESS_TOKEN,
    meta_keys::PROTOCOL_VERSION,
    meta_keys::CLIENT_INFO,
    meta_keys::CLIENT_CAPABILITIES,
    meta_keys::LOG_LEVEL,
    meta_keys::SUBSCRIPTION_ID,
];

/// The members of `_meta` that form a trace, and are passed on only together.
const OF_THE_TRACE: [&str; 3] = [
    meta_keys::TRACEPARENT,
    meta_keys::TRACESTATE,
    meta_keys::BAGGAGE,
];

/// Returns the members of a caller's `_meta` that are passed on, as JSON without braces. If the
/// proxy's client has its own trace, the caller's trace is left out.
fn forwarded_meta(meta: Option<&RawJson>, client: &Client) -> String {
    // If a member occurs twice, the last one wins.
    let members = meta.map(RawJson::parse::<BTreeMap<String, RawJson>>);
    let Some(Ok(mut members)) = members else {
        return String::new();
    };
    let has_trace = client.has_trace();
    members.retain(|name, _| {
        let name = name.as_str();
        !(OF_THE_REQUEST.contains(&name) || has_trace && OF_THE_TRACE.contains(&name))
    });
    let object = RawJson::encode(&members);
    let members = object.get().trim_start_matches('{');
    members.strip_suffix('}').unwrap_or(members).to_owned()
}
