//! A server behind a proxy, and how to connect to it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::client::{Client, ClientBuilder};
use crate::connection::BoxFuture;

type Connecting = BoxFuture<Result<Client, Box<dyn Error + Send + Sync>>>;

/// A server behind a [`Proxy`](super::Proxy), and how to connect to it.
///
/// ```
/// use mcp_runtime::proxy::Upstream;
/// use mcp_runtime::transport::ChildProcess;
///
/// let upstream = Upstream::new(|client| client.connect(ChildProcess::new("shop-server")));
/// # drop(upstream);
/// ```
#[derive(Clone)]
pub struct Upstream {
    pub(super) connect: Arc<dyn Fn(ClientBuilder) -> Connecting + Send + Sync>,
    pub(super) login: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

impl Upstream {
    /// Creates an upstream from a function that connects to the server.
    ///
    /// The proxy calls `connect` for each connection, with a builder that has the name and the
    /// capabilities of the client that needs the connection. The function may add settings, such as
    /// the [era](ClientBuilder::era). If it fails, clients get the text of the error.
    pub fn new<F, Fut, E>(connect: F) -> Self
    where
        F: Fn(ClientBuilder) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Client, E>> + Send + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        Self {
            connect: Arc::new(move |builder| {
                let connecting = connect(builder);
                Box::pin(async move { connecting.await.map_err(Into::into) })
            }),
            login: Arc::new(|| None),
        }
    }

    /// Sets a function that returns the URL at which a person must log in before `connect` can
    /// return, or `None` if no login is pending.
    ///
    /// While a login is pending, `initialize` is answered after 8 seconds, with empty lists. Calls
    /// send the URL to clients that can open one, and fail with the URL for others. When the login
    /// is done, clients learn that the lists have changed.
    #[must_use]
    pub fn login(mut self, url: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.login = Arc::new(url);
        self
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").finish_non_exhaustive()
    }
}
