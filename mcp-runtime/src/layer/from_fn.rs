//! Layers made of async functions.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

use super::{BoxError, McpRequest, McpResponse, Next};

/// A layer of an async function, which gets the request and what is inside of the layer.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::layer::{McpRequest, McpResponse, Next, from_fn};
///
/// let mut server = Server::builder();
/// server.layer(from_fn(async |request: McpRequest, next: Next| {
///     let mut response = next.run(request).await?;
///     if let Some(text) = response.json()?.as_deref() {
///         let redacted = text.replace("secret", "******");
///         response = McpResponse::new(redacted)?;
///     }
///     Ok(response)
/// }));
/// # drop(server.build());
/// ```
pub fn from_fn<F, R>(function: F) -> FromFn<F>
where
    F: Fn(McpRequest, Next) -> R + Send + Sync + 'static,
    R: Future<Output = Result<McpResponse, BoxError>> + Send + 'static,
{
    FromFn {
        function: Arc::new(function),
    }
}

/// A layer of an async function; made by [`from_fn`].
pub struct FromFn<F> {
    function: Arc<F>,
}

impl<F> Clone for FromFn<F> {
    fn clone(&self) -> Self {
        let function = Arc::clone(&self.function);
        Self { function }
    }
}

impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}

impl<F> Layer<Next> for FromFn<F> {
    type Service = FromFnService<F>;

    fn layer(&self, next: Next) -> FromFnService<F> {
        let function = Arc::clone(&self.function);
        FromFnService { function, next }
    }
}

/// The service of a [`FromFn`].
pub struct FromFnService<F> {
    function: Arc<F>,
    next: Next,
}

impl<F> Clone for FromFnService<F> {
    fn clone(&self) -> Self {
        Self {
            function: Arc::clone(&self.function),
            next: self.next.clone(),
        }
    }
}

impl<F> fmt::Debug for FromFnService<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFnService").finish_non_exhaustive()
    }
}

impl<F, R> Service<McpRequest> for FromFnService<F>
where
    F: Fn(McpRequest, Next) -> R + Send + Sync + 'static,
    R: Future<Output = Result<McpResponse, BoxError>> + Send + 'static,
{
    type Response = McpResponse;
    type Error = BoxError;
    type Future = R;

    /// Always ready: the function waits for what is inside of it.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> R {
        (self.function)(request, self.next.clone())
    }
}
