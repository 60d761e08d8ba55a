//! Errors of requests that passed layers.

use mcp_types::ErrorObject;

use crate::error::RequestError;
use crate::layer::{BoxError, McpRequest, TooManyRequests};
use crate::server::Context;

/// The error that answers a request after layers have turned its outcome into `error`.
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

/// The error of a request that was not served. Parameters that a layer has replaced and that do not
/// fit are an internal error.
pub(super) fn fault(request: &McpRequest, error: RequestError) -> RequestError {
    let is_of_params = match &error {
        // State and answers are read as the caller has sent them.
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
    crate::log::error!(method, %error, "a layer has replaced the parameters by invalid ones");
    RequestError::Internal
}
