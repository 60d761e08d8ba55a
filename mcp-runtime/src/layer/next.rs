//! What is inside of a layer, and the stack of all layers.

use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

use super::{BoxError, McpRequest, McpResponse};
use crate::connection::BoxFuture;

type Outcome = Result<McpResponse, BoxError>;

/// What is inside of a layer: the next layer, or what serves the request.
///
/// A [`Service`], which a [`tower_layer::Layer`] gets, and what [`from_fn`](super::from_fn) calls
/// with [`run`](Self::run). A clone is not ready before it was polled.
#[derive(Default)]
pub struct Next {
    /// The service of the next layer; `None` inside of the last one.
    service: Option<Arc<dyn Shared>>,
    /// A clone of it that was polled for readiness.
    ready: Option<Box<dyn Single>>,
}

/// A service that all requests share.
trait Shared: Send + Sync {
    /// A clone for one request.
    fn single(&self) -> Box<dyn Single>;
}

/// A service for one request.
trait Single: Send + Sync {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>>;

    fn call(&mut self, request: McpRequest) -> BoxFuture<Outcome>;
}

struct Erased<S>(S);

impl<S> Shared for Erased<S>
where
    S: Service<McpRequest, Response = McpResponse> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    fn single(&self) -> Box<dyn Single> {
        Box::new(Self(self.0.clone()))
    }
}

impl<S> Single for Erased<S>
where
    S: Service<McpRequest, Response = McpResponse> + Send + Sync,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: McpRequest) -> BoxFuture<Outcome> {
        let response = self.0.call(request);
        Box::pin(async move { response.await.map_err(Into::into) })
    }
}

impl Next {
    pub(crate) fn of<S>(service: S) -> Self
    where
        S: Service<McpRequest, Response = McpResponse> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
    {
        Self {
            service: Some(Arc::new(Erased(service))),
            ready: None,
        }
    }

    /// Serves a request, once what is inside is ready for it.
    ///
    /// # Errors
    ///
    /// The error of an inner layer; a [`ProtocolError`](crate::ProtocolError) where a server answers
    /// with one, and a [`CallError`](crate::CallError) in a client.
    pub async fn run(mut self, request: McpRequest) -> Result<McpResponse, BoxError> {
        poll_fn(|cx| self.poll_ready(cx)).await?;
        self.call(request).await
    }
}

impl Service<McpRequest> for Next {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = BoxFuture<Outcome>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        match &self.service {
            None => Poll::Ready(Ok(())),
            Some(service) => {
                let ready = self.ready.get_or_insert_with(|| service.single());
                ready.poll_ready(cx)
            }
        }
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        match (&self.service, self.ready.take()) {
            (None, _) => request.serve(),
            (Some(_), Some(mut ready)) => ready.call(request),
            // It was not polled, which a caller owes.
            (Some(service), None) => {
                let mut single = service.single();
                Box::pin(async move {
                    poll_fn(|cx| single.poll_ready(cx)).await?;
                    single.call(request).await
                })
            }
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

/// The layers around requests, the outermost first.
#[derive(Clone, Default)]
pub(crate) struct Stack {
    layers: Vec<Arc<dyn RequestLayer>>,
    /// The outermost service, made when it is first needed.
    outermost: OnceLock<Next>,
}

/// A layer around requests: a [`Layer`] of tower for [`Next`], or a function by
/// [`from_fn`](super::from_fn).
///
/// The service of the layer takes an [`McpRequest`] and returns an [`McpResponse`]. It can be cloned
/// and sent to other threads, and so can its future be sent.
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
impl<L> RequestLayer for L
where
    L: Layer<Next> + Send + Sync + 'static,
    L::Service: Service<McpRequest, Response = McpResponse> + Clone + Send + Sync + 'static,
    <L::Service as Service<McpRequest>>::Error: Into<BoxError>,
    <L::Service as Service<McpRequest>>::Future: Send + 'static,
{
    fn around(&self, next: Next) -> Next {
        Next::of(self.layer(next))
    }
}

impl Stack {
    /// Adds a layer inside of all others.
    pub(crate) fn push(stack: &mut Option<Self>, layer: impl RequestLayer) {
        let stack = stack.get_or_insert_default();
        stack.layers.push(Arc::new(layer));
        stack.outermost = OnceLock::new();
    }

    /// The outermost service.
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
