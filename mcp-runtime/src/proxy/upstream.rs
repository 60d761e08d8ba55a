//! A server behind a proxy, and how to connect to it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::client::{Client, ClientBuilder};
use crate::connection::BoxFuture;

type Connect =
    dyn Fn(ClientBuilder) -> BoxFuture<Result<Client, Box<dyn Error + Send + Sync>>> + Send + Sync;

/// A server behind a [`Proxy`](super::Proxy), and how to connect to it.
#[derive(Clone)]
pub struct Upstream {
    pub(super) connect: Arc<Connect>,
    pub(super) login: Arc<dyn Fn() -> Option<String> + Send + Sync>,
}

impl Upstream {
    /// Creates an upstream from a function that connects to the server.
    ///
    /// The proxy calls `connect` for each connection, with a client that declares what its caller
    /// declares. The function may add settings, such as the revisions to try. Callers get the text of
    /// its error.
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
