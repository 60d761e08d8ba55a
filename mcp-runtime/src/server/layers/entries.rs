//! Layers around the handlers of entries: of one entry, or of all that a mounted server has.

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
use crate::layer::{Body, BoxError, Innermost, McpRequest, McpResponse, Next, Stack, TypedResult};
use crate::protocol::{RequestParams, invalid_params, resource_not_found};
use crate::server::catalog::Entry as _;
use crate::server::extensions::Method;
use crate::server::handler::text::Texts;
use crate::server::input::InputState;
use crate::server::prompts::PromptCall;
use crate::server::resources::{Contents, ResourceCall, ResourceEntry};
use crate::server::tools::{ToolCall, ToolOutcome, ToolReply, Unknown};
use crate::server::{Context, MethodCall, Reply};

impl Stack {
    /// Calls a tool through the layers.
    pub(in crate::server) fn tool<H>(&self, name: &str, call: ToolCall<'_>, handler: H) -> ToolReply
    where
        H: Fn(ToolCall<'_>) -> ToolReply + Send + Sync + 'static,
    {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            arguments: Option<RawJsonRef<'a>>,
        }

        let arguments = call.arguments;
        let context = call.context;
        let params = Some(RawJson::encode(&Params { name, arguments }));
        let name = name.to_owned();
        let handler = move |params: &RequestParams<'_>, context: &Context| {
            same("name", &params.name()?, &name)?;
            let reply = handler(ToolCall {
                arguments: params.arguments()?,
                context,
                unknown: Unknown::Skipped,
            });
            Ok(match reply {
                ToolReply::Typed(reply) => response(reply, McpResponse::typed),
                ToolReply::Open(future) => {
                    response(Reply::Pending(future), |outcome| match outcome {
                        ToolOutcome::Complete(result) => McpResponse::typed(result),
                        ToolOutcome::Other(json) => McpResponse::with(Body::Json(json)),
                    })
                }
            })
        };
        let outcome = self.around(methods::TOOLS_CALL, params, context, handler);
        ToolReply::Open(Box::pin(async move {
            match outcome.await? {
                Body::Json(json) => ToolOutcome::read(json).map_err(|error| unfit(&error)),
                body => Ok(ToolOutcome::Complete(fitting(body)?)),
            }
        }))
    }

    /// Gets a prompt through the layers.
    pub(in crate::server) fn prompt<H>(
        &self,
        name: &str,
        call: PromptCall<'_>,
        handler: H,
    ) -> Reply<GetPromptResult>
    where
        H: Fn(PromptCall<'_>) -> Reply<GetPromptResult> + Send + Sync + 'static,
    {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            arguments: &'a Texts,
        }

        let arguments = call.arguments;
        let context = call.context;
        let params = Some(RawJson::encode(&Params { name, arguments }));
        let name = name.to_owned();
        let handler = move |params: &RequestParams<'_>, context: &Context| {
            same("name", &params.name()?, &name)?;
            let json = params
                .shared
                .arguments
                .unwrap_or(RawJsonRef::empty_object());
            let unfit = |error| invalid_params("params.arguments", json.get(), &error);
            let arguments = &json.parse::<Texts>().map_err(unfit)?;
            let reply = handler(PromptCall { arguments, context });
            Ok(response(reply, McpResponse::typed))
        };
        let outcome = self.around(methods::PROMPTS_GET, params, context, handler);
        Reply::Pending(Box::pin(async move { fitting(outcome.await?) }))
    }

    /// Reads a resource of `entry` through the layers. A URI that a layer has replaced is looked up
    /// again: it has to lead to the same entry.
    pub(in crate::server) fn resource<H>(
        &self,
        entry: &ResourceEntry,
        call: ResourceCall<'_>,
        handler: H,
    ) -> Reply<Contents>
    where
        H: Fn(ResourceCall<'_>) -> Reply<Contents> + Send + Sync + 'static,
    {
        #[derive(Serialize)]
        struct Params<'a> {
            uri: &'a str,
        }

        let received = call.uri;
        let variables = call.variables.clone();
        let context = call.context;
        let params = Some(RawJson::encode(&Params { uri: received }));
        let revision = context.revision();
        let missing = RequestError::ResourceNotFound {
            uri: received.to_owned(),
            code: resource_not_found(revision),
        };
        let missing = missing.to_error();
        let received = received.to_owned();
        let not_found = missing.clone();
        let name = entry.name().to_owned();
        let mime_type = entry.mime_type();
        let handler = move |params: &RequestParams<'_>, context: &Context| {
            let uri = params.uri()?;
            let resources = &context.server().router().resources;
            let find = || resources.find_for(&uri, "params.uri", context);
            let found = (uri != received).then(find).transpose()?;
            if let Some(found) = &found {
                same("uri", found.entry.name(), &name)?;
            }
            let reply = handler(ResourceCall {
                uri: &uri,
                variables: found.as_ref().map_or(&variables, |it| &it.variables),
                context,
            });
            let uri = uri.into_owned();
            let mime_type = mime_type.clone();
            let not_found = not_found.clone();
            let reply = reply.then(move |contents| match contents {
                Contents::Missing => Err(not_found),
                contents => contents.result(uri, mime_type, revision),
            });
            Ok(response(reply, McpResponse::typed))
        };
        let outcome = self.around(methods::RESOURCES_READ, params, context, handler);
        Reply::Pending(Box::pin(async move {
            match outcome.await {
                Ok(body) => Ok(Contents::Whole(Box::new(fitting::<ReadResourceResult>(
                    body,
                )?))),
                // A server that mounts this one has another URI for it.
                Err(error) if error == missing => Ok(Contents::Missing),
                Err(error) => Err(error),
            }
        }))
    }

    /// Serves a method of an extension through the layers.
    pub(in crate::server) fn method(
        &self,
        name: &str,
        call: MethodCall<'_>,
        serve: &Arc<Method>,
    ) -> Reply<RawJson> {
        let params = call.params.map(RawJson::from);
        let serve = Arc::clone(serve);
        let handler = move |params: &RequestParams<'_>, context: &Context| {
            let reply = serve(MethodCall {
                params: params.raw,
                context,
            });
            Ok(response(reply, |json| McpResponse::with(Body::Json(json))))
        };
        let outcome = self.around(name, params, call.context, handler);
        Reply::Pending(Box::pin(async move { fitting(outcome.await?) }))
    }

    /// The outcome of the layers around a handler.
    fn around<H>(
        &self,
        method: &str,
        params: Option<RawJson>,
        context: &Context,
        handler: H,
    ) -> BoxFuture<Result<Body, ProtocolError>>
    where
        H: Fn(&RequestParams<'_>, &Context) -> Result<Reply<McpResponse>, RequestError>
            + Send
            + Sync
            + 'static,
    {
        let innermost = Arc::new(Handler(handler));
        request(&self.outermost(), method, params, context, innermost)
    }
}

/// The outcome of a service for a request.
pub(super) fn request(
    service: &Next,
    method: &str,
    params: Option<RawJson>,
    context: &Context,
    innermost: Arc<dyn Innermost>,
) -> BoxFuture<Result<Body, ProtocolError>> {
    let context = context.clone();
    let mut request = McpRequest::new(method, params, Some(context.clone()), innermost);
    request.is_retry = context.input().is_some_and(InputState::is_retry);
    let response = service.clone().run(request);
    Box::pin(async move {
        let response = response.await.map_err(|error| to_error(&context, error))?;
        Ok(response.into_body())
    })
}

/// The handler of an entry, inside of all layers.
struct Handler<H>(H);

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
        let detachable = request.context().filter(|context| context.is_detachable());
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
    let asks = context.is_asking();
    let mut context = Some(context);
    async move {
        if let Some(context) = context.as_ref().filter(|_| !asks) {
            context.enter().await;
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
        Self::with(Body::Typed(Box::new(result)))
    }
}

fn response<T: 'static>(
    reply: Reply<T>,
    response: impl FnOnce(T) -> McpResponse + Send + 'static,
) -> Reply<McpResponse> {
    reply.then(move |result| Ok(response(result)))
}

/// The result after the layers of an entry.
///
/// # Errors
///
/// When a layer has made one that is none of the entry's kind.
pub(super) fn fitting<T: Any + DeserializeOwned>(body: Body) -> Result<T, ProtocolError> {
    match body {
        Body::Json(json) => json.parse().map_err(|error| unfit(&error)),
        Body::Typed(result) => match result.into_any().downcast() {
            Ok(result) => Ok(*result),
            Err(_) => Err(unfit(&"it is one of another entry")),
        },
        Body::Answer(_) | Body::Accepted(_) => Err(unfit(&"it is one of the whole server")),
    }
}

fn unfit(reason: &dyn fmt::Display) -> ProtocolError {
    crate::log::error!(%reason, "a layer has made a result that the entry can't have");
    RequestError::Internal.to_error()
}
