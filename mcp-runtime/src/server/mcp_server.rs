//! What makes a type a server.

use std::sync::Arc;

use super::{Endpoint, Serve, Server, ServerBuilder};

/// A type whose functions are offered as tools, prompts and resources.
///
/// `#[mcp_server]` implements it; what it writes is one registration a function.
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
    /// Registers everything that the server offers.
    fn register(self: Arc<Self>, server: &mut ServerBuilder);

    /// A builder with everything that the server offers, to say more of the server or to add to
    /// it.
    fn into_builder(self) -> ServerBuilder {
        let mut builder = Server::builder();
        Arc::new(self).register(&mut builder);
        builder
    }

    /// The server, ready to serve any number of connections.
    fn into_server(self) -> Server {
        self.into_builder().build()
    }

    /// Serves one connection until the peer closes it, or all that come to an address; either way
    /// until the process is told to end.
    ///
    /// Nothing happens until the value is awaited.
    fn serve<E: Endpoint>(self, endpoint: E) -> Serve<E> {
        self.into_server().serve(endpoint)
    }
}

impl<T: McpServer> From<T> for Server {
    fn from(server: T) -> Self {
        server.into_server()
    }
}
