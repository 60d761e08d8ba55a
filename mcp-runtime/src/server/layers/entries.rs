//! Layers around the handlers of entries: of one entry, or of all that a mounted server has.
//!
//! A handler gets its layers when its entry is registered. The layers see a request with the name or
//! URI and the arguments, and the handler reads these again, as a layer may have replaced them.

use std::any::Any;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use mcp_types::{GetPromptResult, RawJson, RawJsonRef, ReadResourceResult, methods};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::route::{fault, to_error};
use crate::ProtocolError;
use crate::connection::{BoxFuture, Contained, contain};
use crate::error::RequestError;
use crate::layer::{
    BoxError, Innermost, McpRequest, McpResponse, McpResponseBody, Next, Stack, TypedResult,
};
use crate::protocol::{RequestParams, resource_not_found};
use crate::server::catalog::Entry as _;
use crate::server::extensions::Method;
use crate::server::handler::text::Texts;
use crate::server::input::InputState;
use crate::server::prompts::{self, PromptCall, PromptHandler};
use crate::server::resources::{Contents, ResourceCall, ResourceEntry, ResourceHandler};
use crate::server::tools::{ToolCall, ToolHandler, ToolOutcome, Unknown};
use crate::server::{Context, MethodCall, Reply};

type Layers<'a> = Option<&'a Stack>;

/// Puts layers around the handler of the tool called `name`.
pub(in crate::server) fn around_tool(
    layers: Layers<'_>,
    name: &str,
    handler: Arc<ToolHandler>,
) -> Arc<ToolHandler> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        arguments: Option<RawJsonRef<'a>>,
    }

    let Some(layers) = layers else { return handler };
    let own = name.to_owned();
    let innermost = Handler::new(move |params, context| {
        same("name", &params.name()?, &own)?;
        let reply = handler(ToolCall {
            arguments: params.arguments()?,
            context,
            unknown: Unknown::Skipped,
        });
        Ok(reply.then(|outcome| {
            Ok(match outcome {
                ToolOutcome::Complete(result) => McpResponse::typed(result),
                ToolOutcome::Other(json) => McpResponse::with(McpResponseBody::Json(json)),
            })
        }))
    });
    let layered = Layered::new(methods::TOOLS_CALL, layers.outermost());
    let name = name.to_owned();
    Arc::new(move |call: ToolCall<'_>| {
        let arguments = call.arguments;
        let params = RawJson::encode(&Params {
            name: &name,
            arguments,
        });
        let inner = Arc::clone(&innermost);
        let outcome = layered.call(Some(params), call.context, inner);
        Reply::Pending(Box::pin(async move {
            match outcome.await? {
                McpResponseBody::Json(json) => {
                    ToolOutcome::read(json).map_err(|error| unfit(&error))
                }
                body => Ok(ToolOutcome::Complete(fitting(body)?)),
            }
        }))
    })
}

/// Puts layers around the handler of the prompt called `name`.
pub(in crate::server) fn around_prompt(
    layers: Layers<'_>,
    name: &str,
    handler: Arc<PromptHandler>,
) -> Arc<PromptHandler> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        arguments: &'a Texts,
    }

    let Some(layers) = layers else { return handler };
    let own = name.to_owned();
    let innermost = Handler::new(move |params, context| {
        same("name", &params.name()?, &own)?;
        let arguments = &prompts::arguments(params)?;
        let reply = handler(PromptCall { arguments, context });
        Ok(reply.then(|result| Ok(McpResponse::typed(result))))
    });
    let layered = Layered::new(methods::PROMPTS_GET, layers.outermost());
    let name = name.to_owned();
    Arc::new(move |call: PromptCall<'_>| {
        let arguments = call.arguments;
        let params = RawJson::encode(&Params {
            name: &name,
            arguments,
        });
        let inner = Arc::clone(&innermost);
        let outcome = layered.call(Some(params), call.context, inner);
        Reply::Pending(Box::pin(async move {
            fitting::<GetPromptResult>(outcome.await?)
        }))
    })
}

/// Puts layers around the handler of a resource.
pub(in crate::server) fn around_resource(
    layers: Layers<'_>,
    entry: &ResourceEntry,
    handler: Arc<ResourceHandler>,
) -> Arc<ResourceHandler> {
    #[derive(Serialize)]
    struct Params<'a> {
        uri: &'a str,
    }

    let Some(layers) = layers else { return handler };
    let layered = Layered::new(methods::RESOURCES_READ, layers.outermost());
    let name: Arc<str> = entry.name().into();
    let mime_type = entry.mime_type();
    Arc::new(move |call: ResourceCall<'_>| {
        let uri = call.uri;
        let params = RawJson::encode(&Params { uri });
        let missing = RequestError::ResourceNotFound {
            uri: uri.to_owned(),
            code: resource_not_found(call.context.revision()),
        };
        let missing = missing.to_error();
        let reading = Reading {
            handler: Arc::clone(&handler),
            entry: Arc::clone(&name),
            mime_type: mime_type.clone(),
            uri: uri.to_owned(),
            variables: call.variables.clone(),
            missing: missing.clone(),
        };
        let inner = Handler::new(move |params, context| reading.read(params, context));
        let outcome = layered.call(Some(params), call.context, inner);
        Reply::Pending(Box::pin(async move {
            match outcome.await {
                Ok(body) => {
                    let result = fitting::<ReadResourceResult>(body)?;
                    Ok(Contents::Whole(Box::new(result)))
                }
                // A server that mounts this one has another URI for it.
                Err(error) if error == missing => Ok(Contents::Missing),
                Err(error) => Err(error),
            }
        }))
    })
}

/// A request for a resource, inside of the layers of its entry.
struct Reading {
    handler: Arc<ResourceHandler>,
    /// The name of the entry.
    entry: Arc<str>,
    mime_type: Option<String>,
    /// The URI as it came, and its variables.
    uri: String,
    variables: Texts,
    missing: ProtocolError,
}

impl Reading {
    /// Reads the resource. A URI that a layer has replaced is looked up again: it has to lead to the
    /// same entry.
    fn read(
        &self,
        params: &RequestParams<'_>,
        context: &Context,
    ) -> Result<Reply<McpResponse>, RequestError> {
        let uri = params.uri()?;
        let resources = &context.server().router().resources;
        let find = || resources.find_for(&uri, "params.uri", context);
        let found = (uri != self.uri).then(find).transpose()?;
        if let Some(found) = &found {
            same("uri", found.entry.name(), &self.entry)?;
        }
        let reply = (self.handler)(ResourceCall {
            uri: &uri,
            variables: found.as_ref().map_or(&self.variables, |it| &it.variables),
            context,
        });
        let uri = uri.into_owned();
        let mime_type = self.mime_type.clone();
        let missing = self.missing.clone();
        let revision = context.revision();
        Ok(reply.then(move |contents| match contents {
            Contents::Missing => Err(missing),
            contents => contents
                .result(uri, mime_type, revision)
                .map(McpResponse::typed),
        }))
    }
}

/// Puts layers around a method of an extension.
pub(in crate::server) fn around_method(
    layers: Layers<'_>,
    name: &str,
    serve: Arc<Method>,
) -> Arc<Method> {
    let Some(layers) = layers else { return serve };
    let innermost = Handler::new(move |params, context| {
        let params = params.raw;
        let reply = serve(MethodCall { params, context });
        Ok(reply.then(|json| Ok(McpResponse::with(McpResponseBody::Json(json)))))
    });
    method_of(name, layers.outermost(), innermost)
}

/// A method that a service serves, around `innermost`.
pub(super) fn method_of(name: &str, service: Next, innermost: Arc<dyn Innermost>) -> Arc<Method> {
    let layered = Layered::new(name, service);
    Arc::new(move |call: MethodCall<'_>| {
        let params = call.params.map(RawJson::from);
        let outcome = layered.call(params, call.context, Arc::clone(&innermost));
        Reply::Pending(Box::pin(async move { fitting(outcome.await?) }))
    })
}

/// A method whose requests are served by layers.
struct Layered {
    method: Box<str>,
    outermost: Next,
}

impl Layered {
    fn new(method: &str, outermost: Next) -> Self {
        let method = method.into();
        Self { method, outermost }
    }

    /// The outcome of a request, which `innermost` serves inside of all layers.
    fn call(
        &self,
        params: Option<RawJson>,
        context: &Context,
        innermost: Arc<dyn Innermost>,
    ) -> BoxFuture<Result<McpResponseBody, ProtocolError>> {
        let context = context.clone();
        let mut request = McpRequest::new(&self.method, params, Some(context.clone()), innermost);
        request.is_retry = context.input().is_some_and(InputState::is_retry);
        let response = self.outermost.clone().run(request);
        Box::pin(async move {
            let response = response.await.map_err(|error| to_error(&context, error))?;
            Ok(response.into_body())
        })
    }
}

/// The handler of an entry, inside of all layers.
struct Handler<H>(H);

impl<H> Handler<H>
where
    H: Fn(&RequestParams<'_>, &Context) -> Result<Reply<McpResponse>, RequestError>
        + Send
        + Sync
        + 'static,
{
    fn new(handler: H) -> Arc<Self> {
        Arc::new(Self(handler))
    }
}

impl<H> Innermost for Handler<H>
where
    H: Fn(&RequestParams<'_>, &Context) -> Result<Reply<McpResponse>, RequestError> + Send + Sync,
{
    fn serve(&self, request: McpRequest) -> BoxFuture<Result<McpResponse, BoxError>> {
        let reply = contain(|| {
            let params = RequestParams::read(request.params().map(RawJson::as_raw))?;
            let context = request.context().ok_or(RequestError::Internal)?;
            (self.0)(&params, context)
        });
        let reply =
            reply.and_then(|reply| reply.map_err(|error| fault(&request, error).to_error()));
        let detachable = request
            .context()
            .filter(|context| context.detachable().is_some());
        match reply.unwrap_or_else(|error| Reply::Ready(Err(error))) {
            Reply::Ready(outcome) => {
                detachable.inspect(|context| context.finish_progress());
                Box::pin(ready(outcome.map_err(BoxError::from)))
            }
            Reply::Pending(function) => {
                let function = Contained(function);
                match detachable {
                    None => Box::pin(async move { Ok(function.await?) }),
                    Some(context) => Box::pin(entering(context.clone(), function)),
                }
            }
        }
    }
}

/// Runs a function whose call may be detached. Whoever may do so is told before, unless questions come
/// first.
fn entering(
    context: Context,
    function: impl Future<Output = Result<McpResponse, ProtocolError>>,
) -> impl Future<Output = Result<McpResponse, BoxError>> {
    let link = context
        .detachable()
        .filter(|link| !link.is_asking())
        .cloned();
    let mut context = Some(context);
    async move {
        if let Some(link) = link {
            link.enter().await;
        }
        // What is detached has no more to do with its request: only its function may keep the context.
        context.take_if(|context| context.is_detached());
        let outcome = function.await;
        if let Some(context) = context {
            context.finish_progress();
        }
        Ok(outcome?)
    }
}

/// Checks that parameters still lead to the entry whose visibility, scopes and headers were checked.
///
/// # Errors
///
/// When `member`, which a layer has replaced, leads to an entry other than `called`.
fn same(member: &str, found: &str, called: &str) -> Result<(), RequestError> {
    if found == called {
        return Ok(());
    }
    let path = format!("params.{member}");
    let reason = format!("leads to `{found}` instead of `{called}`");
    Err(RequestError::InvalidParams { path, reason })
}

impl McpResponse {
    fn typed<T: TypedResult>(result: T) -> Self {
        Self::with(McpResponseBody::Typed(Box::new(result)))
    }
}

/// The result after the layers of an entry.
///
/// # Errors
///
/// When a layer has made one that is none of the entry's kind.
pub(super) fn fitting<T: Any + DeserializeOwned>(
    body: McpResponseBody,
) -> Result<T, ProtocolError> {
    match body {
        McpResponseBody::Json(json) => json.parse().map_err(|error| unfit(&error)),
        McpResponseBody::Typed(result) => match result.into_any().downcast() {
            Ok(result) => Ok(*result),
            Err(_) => Err(unfit(&"it is one of another entry")),
        },
        McpResponseBody::Answer(_) | McpResponseBody::Accepted(_) => {
            Err(unfit(&"it is one of the whole server"))
        }
    }
}

fn unfit(reason: &dyn fmt::Display) -> ProtocolError {
    crate::log::error!(%reason, "a layer has made a result that the entry can't have");
    RequestError::Internal.to_error()
}
