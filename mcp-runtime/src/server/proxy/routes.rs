//! Routes that lead to the server behind the proxy.

use std::future::IntoFuture as _;
use std::sync::Arc;

use mcp_types::jsonrpc::code;
use mcp_types::{
    CompleteRequest, CompleteRequestParams, CompletionReference, Prompt, PromptReference, RawJson,
    Resource, ResourceTemplate, ResourceTemplateReference, Tool,
};

use super::meta;
use super::remote::Remote;
use super::watch::watch;
use crate::ProtocolError;
use crate::client::Call;
use crate::error::CallError;
use crate::server::completions::Completers;
use crate::server::live::Live;
use crate::server::prompts::PromptRoute;
use crate::server::resources::{Contents, ResourceRoute, UriTemplate};
use crate::server::tools::ToolRoute;
use crate::server::{Context, FromContext as _, Progress, Reply};

/// The route of a tool; `None` if a schema of it can't be read that the proxy has to go by.
pub(super) fn tool(remote: &Arc<Remote>, tool: Tool) -> Option<ToolRoute> {
    let (remote, name) = (Arc::clone(remote), tool.name.clone());
    let called = name.clone();
    let route = ToolRoute::forwarding(tool, move |call| {
        let arguments = call.arguments.map(RawJson::from);
        let sent = remote.client.call_tool(called.clone(), arguments);
        passed_on(&remote, sent, call.context)
    });
    route
        .inspect_err(|error| {
            tracing::warn!(
                tool = name,
                %error,
                "a tool is not passed on: a schema of it can't be read"
            );
        })
        .ok()
}

pub(super) fn prompt(remote: &Arc<Remote>, prompt: Prompt, completes: bool) -> PromptRoute {
    let reference = PromptReference::new(prompt.name.clone()).into();
    let (asked, name) = (Arc::clone(remote), prompt.name.clone());
    let mut route = PromptRoute::new(prompt, move |call| {
        let arguments = call.arguments.iter();
        let sent = asked.client.get_prompt(name.clone(), arguments);
        passed_on(&asked, sent, call.context)
    });
    if completes {
        route.completers = completers(remote, reference);
    }
    route
}

/// The route of a resource. Clients may subscribe to it if it is `watched` for a server.
pub(super) fn resource(
    remote: &Arc<Remote>,
    watched: Option<&Arc<Live>>,
    resource: Resource,
) -> ResourceRoute {
    let asked = Arc::clone(remote);
    let route = ResourceRoute::resource(resource, move |call| read(&asked, call.uri, call.context));
    subscribable(route, remote, watched)
}

/// Passes on subscriptions for `live`.
fn subscribable(
    route: ResourceRoute,
    remote: &Arc<Remote>,
    live: Option<&Arc<Live>>,
) -> ResourceRoute {
    let Some(live) = live else {
        return route;
    };
    let mut route = route.subscribable();
    let (remote, live) = (Arc::downgrade(remote), Arc::downgrade(live));
    route.wanted = Some(Box::new(move |uri| watch(&remote, &live, uri)));
    route
}

/// The route of a template, as that of a [`resource`]; `None` if URIs can't be matched with it.
pub(super) fn template(
    remote: &Arc<Remote>,
    watched: Option<&Arc<Live>>,
    listed: ResourceTemplate,
    completes: bool,
) -> Option<ResourceRoute> {
    let text = &listed.uri_template;
    let template = UriTemplate::parse(text)
        .inspect_err(|error| tracing::warn!(text, %error, "a template is not passed on"))
        .ok()?;
    let reference = ResourceTemplateReference::new(text.clone()).into();
    let asked = Arc::clone(remote);
    let mut route = ResourceRoute::template(listed, template, move |call| {
        read(&asked, call.uri, call.context)
    });
    if completes {
        route.completers = completers(remote, reference);
    }
    Some(subscribable(route, remote, watched))
}

fn read(remote: &Remote, uri: &str, context: &Context) -> Reply<Contents> {
    let sent = prepared(remote, remote.client.read_resource(uri), context).into_future();
    let passed = pass(remote, context, sent);
    Reply::Pending(Box::pin(async move {
        match passed.await {
            Ok(result) => Ok(Contents::Whole(Box::new(result))),
            Err(CallError::Rpc(error)) if is_not_found(&error) => Ok(Contents::Missing),
            Err(error) => Err(refused(error)),
        }
    }))
}

/// Whether an error says that there is no such resource, in the words of whatever revision.
fn is_not_found(error: &ProtocolError) -> bool {
    let names_uri = || {
        error
            .data
            .as_ref()
            .is_some_and(|data| data.get().contains("\"uri\""))
    };
    error.code == -32002 || (error.code == code::INVALID_PARAMS && names_uri())
}

/// Leaves completions to the server behind the proxy, which knows the item as `reference`.
fn completers(remote: &Arc<Remote>, reference: CompletionReference) -> Completers {
    let remote = Arc::clone(remote);
    Completers::delegate(move |mut params: CompleteRequestParams| {
        params.reference = reference.clone();
        let meta = params.meta.take().map(|meta| RawJson::encode(&meta));
        let meta = meta::passed_on(meta.as_ref(), &remote.client);
        let sent = remote.client.request::<CompleteRequest>(params);
        let sent = sent.with_meta(meta);
        Ok(Reply::Pending(Box::pin(async move {
            sent.await.map_err(refused)
        })))
    })
}

/// A call with what its caller says of it.
fn prepared<R: mcp_types::Request>(remote: &Remote, call: Call<R>, context: &Context) -> Call<R> {
    let meta = meta::passed_on(context.meta(), &remote.client);
    reporting(call.with_meta(meta), context)
}

/// Reports here what progress is made there, where the caller wants to know. It extends the wait for
/// that server's answer as it may extend the caller's.
fn reporting<R: mcp_types::Request>(call: Call<R>, context: &Context) -> Call<R> {
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

fn passed_on<R>(remote: &Remote, call: Call<R>, context: &Context) -> Reply<R::Result>
where
    R: mcp_types::Request + 'static,
    R::Params: mcp_types::Conform,
{
    let sent = prepared(remote, call, context).into_future();
    let passed = pass(remote, context, sent);
    Reply::Pending(Box::pin(async move { passed.await.map_err(refused) }))
}

/// Waits for a call that is made for the caller of `context`.
fn pass<F: Future>(
    remote: &Remote,
    context: &Context,
    sent: F,
) -> impl Future<Output = F::Output> + use<F> {
    let callers = Arc::clone(&remote.callers);
    callers.pass(context.clone(), remote.client.clone(), sent)
}

/// What the caller is told of a call that failed.
fn refused(error: CallError) -> ProtocolError {
    match error {
        CallError::Rpc(error) => error,
        error => {
            tracing::warn!(%error, "a call could not be passed on");
            // Addresses and answers of what stands behind are nothing for callers.
            let reason = match &error {
                CallError::Http(error) => format!("HTTP {} from the server behind", error.status),
                CallError::NotSent(_) => "the server behind can't be reached".to_owned(),
                CallError::Lost(_) => "the answer of the server behind was lost".to_owned(),
                error => error.to_string(),
            };
            let message = format!("the call could not be passed on: {reason}");
            ProtocolError::new(code::INTERNAL_ERROR, message)
        }
    }
}
