//! Layers that wrap the calls of a client.

use std::sync::Arc;

use mcp_types::{ErrorObject, RawJson};

use super::raw_call::{CallOptions, CallTypes, RawCall};
use super::result::Completed;
use super::{Client, ClientBuilder};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::layer::{BoxError, Innermost, McpRequest, McpResponse, McpResponseBody, RequestLayer};

pub(super) use crate::layer::Stack;

impl ClientBuilder {
    /// Adds a layer around each call. Layers that were added before wrap this one.
    ///
    /// A layer runs once for each call that the caller makes: rounds of questions, the retry after a
    /// lost connection and the cache are all inside it. It sees the parameters before they are
    /// adapted to the negotiated revision. The handshake, discovery, pings and
    /// `subscriptions/listen` do not pass through layers.
    ///
    /// If a layer returns a [`CallError`], the call fails with this error. A
    /// [`ProtocolError`](crate::ProtocolError) becomes [`CallError::Rpc`], and any other error
    /// becomes [`CallError::Layer`].
    ///
    /// ```
    /// use mcp_runtime::Client;
    /// use mcp_runtime::layer::{McpRequest, Next, from_fn};
    ///
    /// let client = Client::builder("app", "1").layer(from_fn(async |request: McpRequest, next: Next| {
    ///     println!("{} {}", request.method(), request.target().unwrap_or_default());
    ///     next.run(request).await
    /// }));
    /// # drop(client);
    /// ```
    pub fn layer(mut self, layer: impl RequestLayer) -> Self {
        Stack::push(&mut self.config.layers, layer);
        self
    }
}

impl Stack {
    pub(super) fn call(&self, call: RawCall) -> BoxFuture<Result<Completed, CallError>> {
        let next = self.outermost();
        Box::pin(async move {
            let RawCall {
                client,
                params,
                options,
                types,
            } = call;
            let params = params.json().map_err(CallError::Params)?;
            let left = options.timeouts.shortest();
            let method = types.kind.method;
            let sender = CallSender {
                client,
                options,
                types,
            };
            let request = McpRequest::new(method, Some(params), None, Arc::new(sender));
            let response = next.run(request).await.map_err(to_call_error)?;
            let raw = response.json().ok().flatten();
            let raw = raw.and_then(|json| RawJson::from_text(json).ok());
            let raw = raw.ok_or_else(|| CallError::unfit(method, "a layer returned no result"))?;
            Ok(Completed::new(raw, left))
        })
    }
}

/// The innermost service, which sends the call.
struct CallSender {
    client: Client,
    options: CallOptions,
    types: CallTypes,
}

impl Innermost for CallSender {
    fn serve(&self, request: McpRequest) -> BoxFuture<Result<McpResponse, BoxError>> {
        let types = self.types;
        let params = request.params().map(types.params);
        let client = self.client.clone();
        let options = self.options.clone();
        Box::pin(async move {
            let params = params.unwrap_or_else(|| (types.params)(&RawJson::empty_object()));
            let call = RawCall {
                client,
                params: params.map_err(CallError::Params)?,
                options,
                types,
            };
            let completed = call.send().await?;
            Ok(McpResponse::with(McpResponseBody::Json(completed.raw)))
        })
    }
}

fn to_call_error(error: BoxError) -> CallError {
    let error = match error.downcast::<CallError>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    match error.downcast::<ErrorObject>() {
        Ok(error) => CallError::Rpc(*error),
        Err(error) => CallError::Layer(error),
    }
}
