//! What comes of the outcome of layers: an answer, or an error of the protocol.

use mcp_types::{ErrorObject, RawJson};
use serde_json::Value;

use crate::error::RequestError;
use crate::layer::{Body, BoxError, McpRequest, McpResponse, TooManyRequests};
use crate::server::{Answer, Context};

/// The answer to the request of `context`.
pub(super) fn answer(
    context: &Context,
    outcome: Result<McpResponse, BoxError>,
) -> Result<Answer, ErrorObject> {
    match outcome.map(McpResponse::into_body) {
        Ok(Body::Answer(answer)) => Ok(answer),
        Ok(Body::Json(json)) => {
            let identity = &context.server().router().identity;
            Ok(Answer::open(json, context.negotiated(), identity))
        }
        Ok(Body::Typed(result)) => {
            let identity = &context.server().router().identity;
            Ok(Answer::open(result.json(), context.negotiated(), identity))
        }
        // Only a subscription has one, whose request is served otherwise.
        Ok(Body::Accepted(_)) => Err(RequestError::Internal.to_error()),
        Err(error) => Err(to_error(context, error)),
    }
}

/// Forgets that a request was denied if that is not its outcome: a layer may have called again.
pub(super) fn settle<T>(
    context: &Context,
    outcome: Result<T, ErrorObject>,
) -> Result<T, ErrorObject> {
    context.settle_denied(outcome.as_ref().err());
    outcome
}

/// The error that answers a request of which layers have made `error`.
pub(super) fn to_error(context: &Context, error: BoxError) -> ErrorObject {
    let error = match error.downcast::<ErrorObject>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    if let Some(refused) = error.downcast_ref::<TooManyRequests>() {
        let time = refused.time();
        let error = RequestError::TooManyRequests(time).to_error();
        context.deny_until(time, &error);
        return error;
    }
    crate::log::error!(%error, "a layer failed");
    RequestError::Internal.to_error()
}

/// The error of a request whose parameters do not fit: an internal error if a layer has changed the
/// parameter at fault.
pub(super) fn fault(request: &McpRequest, error: RequestError) -> RequestError {
    let member = match &error {
        RequestError::InvalidParams { path, .. } => {
            path.strip_prefix("params.").unwrap_or_default()
        }
        RequestError::UnknownTool(_) | RequestError::UnknownPrompt(_) => "name",
        RequestError::ResourceNotFound { .. } => "uri",
        _ => return error,
    };
    let member = member.split(['.', '[']).next().unwrap_or_default();
    let value = |params: Option<&RawJson>| -> Option<Value> {
        let params = params?.parse::<Value>().ok()?;
        match member {
            "" => Some(params),
            member => params.get(member).cloned(),
        }
    };
    if value(request.params()) == value(request.received()) {
        return error;
    }
    let method = request.method();
    crate::log::error!(method, %error, "a layer has replaced the parameters by invalid ones");
    RequestError::Internal
}
