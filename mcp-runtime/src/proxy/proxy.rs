//! The public API of proxies.

use std::fmt;
use std::sync::Arc;

use super::Upstream;
use crate::server::{McpServer, ServerBuilder};

/// A server that relays to other servers.
#[derive(Clone)]
pub struct Proxy {
    upstreams: Vec<(String, Upstream)>,
    offers: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    is_shared: bool,
}

impl Proxy {
    /// Creates a proxy for one server, whose names are passed on as they are.
    #[must_use]
    pub fn new(upstream: Upstream) -> Self {
        Self::several([("", upstream)])
    }

    /// Creates a proxy that offers several servers as one. Each has a prefix.
    #[must_use]
    pub fn several(upstreams: impl IntoIterator<Item = (impl Into<String>, Upstream)>) -> Self {
        let upstreams = upstreams.into_iter();
        Self {
            upstreams: upstreams.map(|(name, it)| (name.into(), it)).collect(),
            offers: Arc::new(|_| true),
            is_shared: false,
        }
    }

    /// Hides and refuses the tools for which `offers` returns false. It gets the name that the
    /// client sees.
    #[must_use]
    pub fn tools(mut self, offers: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.offers = Arc::new(offers);
        self
    }

    /// Lets all clients share one connection to each server with a handshake.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }
}

impl McpServer for Proxy {
    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        server.name("proxy");
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}
