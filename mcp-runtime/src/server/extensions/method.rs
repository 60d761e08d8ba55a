//! Methods of extensions.

use std::sync::Arc;

use mcp_types::{RawJson, RawJsonRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::RequestError;
use crate::protocol::invalid_params;
use crate::server::handler::error::to_protocol;
use crate::server::{Context, HandlerError, Reply};

pub(in crate::server) type Method = dyn Fn(MethodCall<'_>) -> Reply<RawJson> + Send + Sync;

/// A request for a method of an extension.
#[derive(Clone, Copy, Debug)]
pub struct MethodCall<'a> {
    /// The parameters as they were received, with their `_meta`.
    pub params: Option<RawJsonRef<'a>>,
    /// The context of the request.
    pub context: &'a Context,
}

/// A method that calls a function from parameters to a result.
pub(in crate::server) fn typed<P, F, R, E>(
    function: impl Fn(P, Context) -> F + Send + Sync + 'static,
) -> Arc<Method>
where
    P: DeserializeOwned,
    F: Future<Output = Result<R, E>> + Send + 'static,
    R: Serialize,
    E: HandlerError,
{
    Arc::new(move |call| {
        let params = call.params.unwrap_or(RawJsonRef::empty_object());
        let params: P = match params.parse() {
            Ok(parsed) => parsed,
            Err(error) => {
                let error = invalid_params("params", params.get(), &error);
                return Reply::Ready(Err(error.to_error()));
            }
        };
        let future = function(params, call.context.clone());
        Reply::Pending(Box::pin(async move {
            let result = future.await.map_err(to_protocol)?;
            let reason = match RawJson::new(&result) {
                Ok(result) if result.is_object() => return Ok(result),
                Ok(result) if result.get() == "null" => return Ok(RawJson::empty_object()),
                Ok(_) => "it is no object".to_owned(),
                Err(error) => error.to_string(),
            };
            Err(RequestError::UnsendableResult(reason).to_error())
        }))
    })
}
