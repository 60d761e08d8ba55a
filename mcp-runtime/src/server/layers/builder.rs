//! Where layers are added: to a server, a tool, a prompt, a resource; and methods that are services.

use std::sync::Arc;

use mcp_types::RawJson;
use tower_service::Service;

use super::entries::{fitting, request};
use super::route::Route;
use crate::ExtensionMethod;
use crate::layer::{BoxError, McpRequest, McpResponse, Next, RequestLayer, Stack};
use crate::server::prompts::{PromptBuilder, PromptEntry};
use crate::server::resources::{ResourceBuilder, ResourceEntry};
use crate::server::tools::{ToolBuilder, ToolEntry};
use crate::server::{MethodCall, Reply, ServerBuilder};

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
    pub fn method_service<S>(&mut self, method: impl Into<ExtensionMethod>, service: S) -> &mut Self
    where
        S: Service<McpRequest, Response = McpResponse> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
    {
        let method = method.into();
        let service = Next::of(service);
        let name = method.name().to_owned();
        let serve = move |call: MethodCall<'_>| -> Reply<RawJson> {
            let params = call.params.map(RawJson::from);
            let outcome = request(&service, &name, params, call.context, Arc::new(Route));
            Reply::Pending(Box::pin(async move { fitting(outcome.await?) }))
        };
        self.add_method(method, Arc::new(serve))
    }
}

/// Adds `layer` to types whose layers stand in a field.
macro_rules! layered {
    ($([$($generic:ident)?] $type:ty, $($field:ident).+, $what:literal;)*) => {$(
        impl$(<$generic>)? $type {
            #[doc = concat!("Adds a layer around the ", $what, ", inside of those added before.")]
            ///
            /// It gets the parameters that the entry has: its name or URI, and arguments. Visibility,
            /// scopes and headers were checked before. It stays with the entry where a server is
            /// [mounted](crate::ServerBuilder::mount), under the name that it has there. A handler
            /// that asks the client is dropped with its layers, and both run again with the answers.
            #[must_use]
            pub fn layer(mut self, layer: impl RequestLayer) -> Self {
                Stack::push(&mut self.$($field).+, layer);
                self
            }
        }
    )*};
}

layered! {
    [] ToolEntry, layers, "tool";
    [A] ToolBuilder<A>, layers, "tool";
    [] PromptEntry, layers, "prompt";
    [A] PromptBuilder<A>, entry.layers, "prompt";
    [] ResourceEntry, layers, "resource, or the resources of the template";
    [A] ResourceBuilder<A>, entry.layers, "resource, or the resources of the template";
}
