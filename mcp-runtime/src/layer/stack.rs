//! What is a layer, and the stack of all layers around a request.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tower_layer::Layer;
use tower_service::Service;

use super::{BoxError, McpRequest, McpResponse, Next};

/// A [`Service`] of tower that serves an [`McpRequest`]: the service of a layer, or of a method.
///
/// It can be cloned, as each request calls a clone.
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

/// A layer around requests: a [`Layer`] of tower for [`Next`] whose service is a [`RequestService`],
/// or a function by [`from_fn`](super::from_fn).
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

/// The layers around requests, the outermost first.
#[derive(Clone, Default)]
pub(crate) struct Stack {
    layers: Vec<Arc<dyn RequestLayer>>,
    /// The outermost service, made when it is first needed.
    outermost: OnceLock<Next>,
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
