//! Servers, and the trait of types that are offered as one.

use std::sync::Arc;

use mcp_types::Tool;

use super::changes::Change;
use super::router::Router;
use super::state::ServerState;
use super::{Endpoint, Serve, ServerBuilder, Session};
use crate::protocol::{ServerLifecycle, ServerRules};

/// A server, ready to serve connections. Cloning is cheap: the clones share everything.
///
/// ```
/// use mcp_runtime::Server;
///
/// let mut server = Server::builder();
/// server.name("empty").version("1.0.0").instructions("There is nothing here.");
/// let server = server.build();
/// # drop(server);
/// ```
#[derive(Clone, Debug)]
pub struct Server {
    pub(super) state: Arc<ServerState>,
    /// The router that this handle saw last, and its generation.
    pub(super) seen: Arc<Router>,
    pub(super) generation: u64,
}

impl Server {
    /// A builder of a server.
    #[must_use]
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Serves one connection until the client closes it, or all connections of an address; either way
    /// until a shutdown. The returned value has to be awaited.
    pub fn serve<E: Endpoint>(&self, endpoint: E) -> Serve<E> {
        Serve::new(self.clone(), endpoint)
    }

    /// The tools of the server, in the order of their list.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let router = self.router();
        let tools = router.tools.entries.iter();
        tools.map(|(_, route)| route.tool().clone()).collect()
    }

    /// Notifies the clients that have subscribed to `change`, by their session or by
    /// `subscriptions/listen`. Never waits for a client; frequent changes are merged.
    ///
    /// Has an effect for the lists that [`ServerBuilder::dynamic`] names, and for resources that can
    /// be subscribed to. [`edit`](Self::edit) notifies by itself.
    ///
    /// A URI may be spelled in any way that leads to the resource. One that no resource has, or that
    /// is no URI (RFC 3986), is logged as a warning, once for each of the first 100.
    pub fn notify_changed(&self, change: Change) {
        self.check_announced(&change);
        self.state.publish(change);
    }

    /// Notifies the clients that have subscribed to the resource `uri`, like
    /// [`notify_changed`](Self::notify_changed).
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// A session for a new client.
    pub(crate) fn session(&self) -> Arc<Session> {
        let announced = self.router().announced();
        Arc::new(Session::new(self.clone(), announced))
    }

    /// The lifecycle of a new connection.
    pub(crate) fn lifecycle(&self) -> ServerLifecycle {
        ServerLifecycle::new(self.rules())
    }

    pub(crate) fn rules(&self) -> ServerRules {
        let settings = self.settings();
        ServerRules {
            supported: settings.revisions,
            requirement: settings.requirement.clone(),
            own_methods: settings.own_methods.clone(),
        }
    }
}

/// A type whose functions are offered as tools, prompts and resources.
///
/// Implemented by `#[mcp_server]`, with a registration for each function.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// struct Calculator;
///
/// #[mcp_server]
/// impl Calculator {
///     /// Adds two whole numbers.
///     #[tool]
///     fn add(&self, a: i64, b: i64) -> i64 {
///         a + b
///     }
/// }
///
/// let server = Calculator.into_server();
/// # drop(server);
/// ```
pub trait McpServer: Send + Sync + Sized + 'static {
    /// Registers the functions.
    fn register(self: Arc<Self>, server: &mut ServerBuilder);

    /// A builder with the functions registered, to configure and add to.
    fn into_builder(self) -> ServerBuilder {
        let mut builder = Server::builder();
        Arc::new(self).register(&mut builder);
        builder
    }

    /// The server, for any number of connections.
    fn into_server(self) -> Server {
        self.into_builder().build()
    }

    /// Serves one connection until the client closes it, or all connections of an address; either way
    /// until a shutdown. The returned value has to be awaited.
    fn serve<E: Endpoint>(self, endpoint: E) -> Serve<E> {
        self.into_server().serve(endpoint)
    }
}

impl<T: McpServer> From<T> for Server {
    fn from(server: T) -> Self {
        server.into_server()
    }
}
