//! The layers around requests, made from tower's layers or async functions, and the stack that
//! applies them.

use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tower_layer::{Layer, layer_fn};
use tower_service::Service;

use super::{BoxError, McpRequest, McpResponse};
use crate::connection::BoxFuture;

/// A tower [`Service`] that serves an [`McpRequest`]: the service of a layer, or of a method.
///
/// It must be `Clone`, because each request calls its own clone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not serve requests",
    note = "a `Service<McpRequest, Response = McpResponse>` of tower does if it is `Clone`, `Send` and `Sync`, its error is `Into<BoxError>`, and its future is `Send`"
)]
pub trait RequestService:
    Service<McpRequest, Response = McpResponse, Error: Into<BoxError>, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static
{
}

#[diagnostic::do_not_recommend]
impl<S> RequestService for S where
    S: Service<McpRequest, Response = McpResponse, Error: Into<BoxError>, Future: Send + 'static>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// A layer around requests: a tower [`Layer`] for [`Next`] whose service is a [`RequestService`],
/// or a function passed to [`from_fn`](super::from_fn).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a layer around requests",
    label = "not a layer",
    note = "a function becomes a layer by `from_fn(async |request: McpRequest, next: Next| next.run(request).await)`, after `use mcp_runtime::layer::{{McpRequest, Next, from_fn}};`",
    note = "a `Layer<Next>` of tower is one if its service is `Clone`, `Send`, `Sync` and `Service<McpRequest, Response = McpResponse>`, with a future that is `Send`"
)]
pub trait RequestLayer: Send + Sync + 'static {
    /// Puts the layer's service around `next`.
    #[doc(hidden)]
    fn around(&self, next: Next) -> Next;
}

#[diagnostic::do_not_recommend]
impl<L: Layer<Next, Service: RequestService> + Send + Sync + 'static> RequestLayer for L {
    fn around(&self, next: Next) -> Next {
        Next::new(self.layer(next))
    }
}

#[derive(Clone, Default)]
pub(crate) struct Stack {
    layers: Vec<Arc<dyn RequestLayer>>,
    /// Made when it is first needed.
    outermost: OnceLock<Next>,
}

impl Stack {
    /// Adds the innermost layer.
    pub(crate) fn push(stack: &mut Option<Self>, layer: impl RequestLayer) {
        let stack = stack.get_or_insert_default();
        stack.layers.push(Arc::new(layer));
        stack.outermost = OnceLock::new();
    }

    pub(crate) fn outermost(&self) -> Next {
        let outermost = self.outermost.get_or_init(|| {
            let layers = self.layers.iter().rev();
            layers.fold(Next::default(), |next, layer| layer.around(next))
        });
        outermost.clone()
    }
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stack({})", self.layers.len())
    }
}

type LayerResult = Result<McpResponse, BoxError>;

/// Makes a layer from an async function, which gets the request and the inner service.
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
pub fn from_fn<F, R>(
    function: F,
) -> impl Layer<Next, Service: RequestService> + Clone + Send + Sync + 'static
where
    F: Fn(McpRequest, Next) -> R + Send + Sync + 'static,
    R: Future<Output = Result<McpResponse, BoxError>> + Send + 'static,
{
    let function = Arc::new(function);
    layer_fn(move |next| FromFn {
        function: Arc::clone(&function),
        next,
    })
}

struct FromFn<F> {
    function: Arc<F>,
    next: Next,
}

impl<F> Clone for FromFn<F> {
    fn clone(&self) -> Self {
        Self {
            function: Arc::clone(&self.function),
            next: self.next.clone(),
        }
    }
}

impl<F, R> Service<McpRequest> for FromFn<F>
where
    F: Fn(McpRequest, Next) -> R,
    R: Future<Output = LayerResult>,
{
    type Response = McpResponse;
    type Error = BoxError;
    type Future = R;

    /// Always ready, because the function itself waits for the inner service.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> R {
        (self.function)(request, self.next.clone())
    }
}

/// The inner service of a layer: the next layer, or the handler of the request.
///
/// A [`tower_layer::Layer`] gets it as a [`Service`], and a function passed to [`from_fn`] calls it
/// with [`run`](Self::run). A clone is not ready until it has been polled.
#[derive(Default)]
pub struct Next {
    /// The service of the next layer; `None` for the innermost layer.
    service: Option<Arc<dyn BoxedService>>,
    /// A clone of `service` that has been polled for readiness.
    ready: Option<Box<dyn BoxedService>>,
}

/// A [`RequestService`] without its type. Requests share it, and each calls a clone.
trait BoxedService: Send + Sync {
    fn boxed_clone(&self) -> Box<dyn BoxedService>;

    fn boxed_poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>>;

    fn boxed_call(&mut self, request: McpRequest) -> BoxFuture<LayerResult>;
}

impl<S: RequestService> BoxedService for S {
    fn boxed_clone(&self) -> Box<dyn BoxedService> {
        Box::new(self.clone())
    }

    fn boxed_poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.poll_ready(cx).map_err(Into::into)
    }

    fn boxed_call(&mut self, request: McpRequest) -> BoxFuture<LayerResult> {
        let response = self.call(request);
        Box::pin(async move { response.await.map_err(Into::into) })
    }
}

impl Next {
    pub(crate) fn new(service: impl RequestService) -> Self {
        Self {
            service: Some(Arc::new(service)),
            ready: None,
        }
    }

    /// Serves a request as soon as the inner service is ready.
    ///
    /// # Errors
    ///
    /// The error of an inner layer or of the handler: a [`ProtocolError`](crate::ProtocolError) in
    /// a server, and a [`CallError`](crate::CallError) in a client.
    pub async fn run(mut self, request: McpRequest) -> Result<McpResponse, BoxError> {
        poll_fn(|cx| self.poll_ready(cx)).await?;
        self.call(request).await
    }
}

impl Service<McpRequest> for Next {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = BoxFuture<LayerResult>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        match &self.service {
            None => Poll::Ready(Ok(())),
            Some(service) => {
                let ready = self.ready.get_or_insert_with(|| service.boxed_clone());
                ready.boxed_poll_ready(cx)
            }
        }
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        match (&self.service, self.ready.take()) {
            (None, _) => request.serve(),
            (Some(_), Some(mut ready)) => ready.boxed_call(request),
            // The caller has not polled for readiness.
            (Some(_), None) => Box::pin(self.clone().run(request)),
        }
    }
}

impl Clone for Next {
    fn clone(&self) -> Self {
        Self {
            service: self.service.clone(),
            ready: None,
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").finish_non_exhaustive()
    }
}
