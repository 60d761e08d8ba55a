//! Layers of a server, and methods that are services.

use std::sync::Arc;

use super::entries::method_of;
use super::route::Route;
use crate::ExtensionMethod;
use crate::layer::{Next, RequestLayer, RequestService, Stack};
use crate::server::ServerBuilder;

impl ServerBuilder {
    /// Adds a layer around each request that the server has admitted, inside of those added before.
    ///
    /// It sees requests of all transports and revisions but `initialize`, and a `ping` before the
    /// handshake; see [`layer`](crate::layer). The layers of a mounted server stand around its
    /// tools, prompts, resources and methods, inside of those of the outer server.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::layer::{McpRequest, Next, from_fn};
    ///
    /// let mut server = Server::builder();
    /// server.layer(from_fn(async |request: McpRequest, next: Next| {
    ///     println!("{}", request.method());
    ///     next.run(request).await
    /// }));
    /// # drop(server.build());
    /// ```
    pub fn layer(&mut self, layer: impl RequestLayer) -> &mut Self {
        Stack::push(&mut self.settings.layers, layer);
        self
    }

    /// Serves a method of an extension by a service, which gets the request with its context; as
    /// [`method`](Self::method) does by a function.
    ///
    /// Each request clones the service, waits until it is ready, and calls it. Its errors are
    /// answered as those of [layers](crate::layer::BoxError).
    ///
    /// # Panics
    ///
    /// When the method is one of the protocol's own.
    pub fn method_service(
        &mut self,
        method: impl Into<ExtensionMethod>,
        service: impl RequestService,
    ) -> &mut Self {
        let method = method.into();
        let serve = method_of(method.name(), Next::new(service), Arc::new(Route));
        self.add_method(method, serve)
    }
}
