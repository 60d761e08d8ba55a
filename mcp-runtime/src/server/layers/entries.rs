//! Layers around the handlers of entries: the layers of a single entry, and the layers of a mounted
//! server, which wrap all its entries.
//!
//! A handler is wrapped in its layers when its entry is registered. The layers see a request with the
//! name or URI and the arguments. The handler reads these parameters again, because a layer may have
//! replaced them.

use std::any::Any;
use std::fmt;
use std::future::ready;
use std::sync::Arc;

use mcp_types::{ErrorObject, RawJson};
use serde::de::DeserializeOwned;

use crate::ProtocolError;
use crate::connection::{BoxFuture, Contained, contain};
use crate::error::RequestError;
use crate::layer::{
    BoxError, Innermost, McpRequest, McpResponse, McpResponseBody, Next, Stack, TooManyRequests,
    TypedResult,
};
use crate::protocol::RequestParams;
use crate::server::extensions::Method;
use crate::server::input::InputState;
use crate::server::{Context, MethodCall, Reply};

pub(in crate::server) fn around_method(
    layers: Option<&Stack>,
    name: &str,
    serve: Arc<Method>,
) -> Arc<Method> {
    let Some(layers) = layers else { return serve };
    let innermost = InnermostHandler::new(move |params, context| {
        let params = params.raw;
        let reply = serve(MethodCall { params, context });
        Ok(reply.then(|json| Ok(McpResponse::with(McpResponseBody::Json(json)))))
    });
    method_of(name, layers.outermost(), innermost)
}

/// Creates a method that is served by `service`, which wraps `innermost`.
pub(super) fn method_of(name: &str, service: Next, innermost: Arc<dyn Innermost>) -> Arc<Method> {
    let layered = Layered::new(name, service);
    Arc::new(move |call: MethodCall<'_>| {
        let params = call.params.map(RawJson::from);
        let outcome = layered.call(params, call.context, Arc::clone(&innermost));
        Reply::Pending(Box::pin(async move { typed_result(outcome.await?) }))
    })
}

pub(in crate::server) struct Layered {
    method: Box<str>,
    outermost: Next,
}

impl Layered {
    pub(in crate::server) fn new(method: &str, outermost: Next) -> Self {
        let method = method.into();
        Self { method, outermost }
    }

    /// Serves a request through the layers. `innermost` serves the request inside all layers.
    pub(in crate::server) fn call(
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

pub(in crate::server) struct InnermostHandler<H>(H);

impl<H> InnermostHandler<H>
where
    H: Fn(&RequestParams<'_>, &Context) -> Result<Reply<McpResponse>, RequestError>
        + Send
        + Sync
        + 'static,
{
    pub(in crate::server) fn new(handler: H) -> Arc<Self> {
        Arc::new(Self(handler))
    }
}

impl<H> Innermost for InnermostHandler<H>
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

/// Runs a function whose call may be detached. The [`Detachable`](crate::server::Detachable) is
/// notified before the function runs, unless the call still has to ask questions.
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
        // A detached call no longer belongs to its request, so don't keep the context alive here.
        context.take_if(|context| context.is_detached());
        let outcome = function.await;
        if let Some(context) = context {
            context.finish_progress();
        }
        Ok(outcome?)
    }
}

/// Checks that the parameters still lead to the entry whose visibility, scopes and headers were
/// checked.
///
/// # Errors
///
/// Fails if a layer has replaced `member`, so that it leads to the entry `found` instead of `called`.
pub(in crate::server) fn check_same(
    member: &str,
    found: &str,
    called: &str,
) -> Result<(), RequestError> {
    if found == called {
        return Ok(());
    }
    let path = format!("params.{member}");
    let reason = format!("leads to `{found}` instead of `{called}`");
    Err(RequestError::InvalidParams { path, reason })
}

impl McpResponse {
    pub(in crate::server) fn typed<T: TypedResult>(result: T) -> Self {
        Self::with(McpResponseBody::Typed(Box::new(result)))
    }
}

/// Converts the response of an entry's layers into the result of the entry.
///
/// # Errors
///
/// Fails if a layer has returned a result that does not suit the kind of entry.
pub(in crate::server) fn typed_result<T: Any + DeserializeOwned>(
    body: McpResponseBody,
) -> Result<T, ProtocolError> {
    match body {
        McpResponseBody::Json(json) => json.parse().map_err(|error| unfit_result(&error)),
        McpResponseBody::Typed(result) => match result.into_any().downcast() {
            Ok(result) => Ok(*result),
            Err(_) => Err(unfit_result(&"it is the result of another kind of entry")),
        },
        McpResponseBody::Answer(_) | McpResponseBody::Accepted(_) => {
            Err(unfit_result(&"it is the response of a whole server"))
        }
    }
}

pub(in crate::server) fn unfit_result(reason: &dyn fmt::Display) -> ProtocolError {
    crate::log::error!(%reason, "a layer returned a result that does not suit the entry");
    RequestError::Internal.to_error()
}

pub(super) fn to_error(context: &Context, error: BoxError) -> ErrorObject {
    let error = match error.downcast::<ErrorObject>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    if let Some(refused) = error.downcast_ref::<TooManyRequests>() {
        let error = RequestError::TooManyRequests(refused.time());
        context.peer().identity().inspect(|it| it.refuse(&error));
        return error.to_error();
    }
    crate::log::error!(%error, "a layer failed");
    RequestError::Internal.to_error()
}

/// Adjusts the error of a request that was not served: if a layer has replaced the parameters, invalid
/// parameters are the fault of the server, so they become an internal error.
pub(super) fn fault(request: &McpRequest, error: RequestError) -> RequestError {
    let is_of_params = match &error {
        // Layers can't replace the request state and the answers, so the caller is at fault.
        RequestError::InvalidParams { path, .. } => {
            path != "params.requestState" && path != "params.inputResponses"
        }
        RequestError::UnknownTool(_)
        | RequestError::UnknownPrompt(_)
        | RequestError::ResourceNotFound { .. } => true,
        _ => false,
    };
    if !is_of_params || request.replaced().is_none() {
        return error;
    }
    let method = request.method();
    crate::log::error!(method, %error, "a layer replaced the parameters with invalid ones");
    RequestError::Internal
}
