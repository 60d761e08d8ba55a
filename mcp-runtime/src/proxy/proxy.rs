//! The public API of proxies.

use std::fmt;
use std::sync::Arc;

use super::Upstream;
use super::messages::info;
use super::server::ProxyServer;
use crate::server::{McpServer, ServerBuilder};

type OnLeftOut = dyn Fn(&str, &str) + Send + Sync;

/// A server that relays to other servers.
///
/// A proxy serves clients of all revisions, and reaches servers of all revisions. Within an era,
/// messages pass as they are: unknown members and methods, extensions, errors and cursors. Only ids,
/// progress tokens and the protocol's own `_meta` change. Between the eras, messages are translated.
/// Questions, progress, log messages, cancellation and changes pass in both cases.
///
/// Each client with a handshake has its own connection to a server with a handshake, which is opened
/// with the name and the capabilities of the client. Stateless clients take connections from a pool,
/// by their capabilities. While a call of a stateless client that can be asked is in flight or waits
/// for answers, it has its connection to itself. There are at most 100 connections to a server, and
/// one without calls is closed after 5 minutes. While all are in use, HTTP clients get the status 503.
/// Calls have no time limit: the client has one.
///
/// A proxy is an [`McpServer`], so it can be served at each endpoint and wrapped in layers. The
/// settings of its builder apply, but it has no entries of its own, and
/// [`build`](ServerBuilder::build) panics if some were added: make a server of them another upstream
/// of [`several`](Self::several).
///
/// ```no_run
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::proxy::{Proxy, Upstream};
/// use mcp_runtime::transport::ChildProcess;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let upstream = Upstream::new(|client| client.connect(ChildProcess::new("shop-server")));
/// Proxy::new(upstream).serve(stdio()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Proxy {
    pub(super) upstreams: Vec<(String, Upstream)>,
    pub(super) offers: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    pub(super) left_out: Arc<OnLeftOut>,
    pub(super) is_shared: bool,
}

impl Proxy {
    /// Creates a proxy for one server, whose names are passed on as they are.
    #[must_use]
    pub fn new(upstream: Upstream) -> Self {
        Self::of(vec![(String::new(), upstream)])
    }

    fn of(upstreams: Vec<(String, Upstream)>) -> Self {
        Self {
            upstreams,
            offers: Arc::new(|_| true),
            left_out: Arc::new(|_, _| {}),
            is_shared: false,
        }
    }

    /// Creates a proxy that offers several servers as one.
    ///
    /// Each server has a prefix: a letter, followed by ASCII letters, digits and `-`. With the prefix
    /// `shop`, the tool `find` becomes `shop_find`, the resource `file:///x` becomes
    /// `shop+file:///x`, and `ui://clock` becomes `ui://shop/clock`. Tasks get the prefix as well.
    /// Other extensions are left out. If a server can't be reached, the others are offered, and it is
    /// tried again. The proxy introduces itself with the name and the instructions of its
    /// [builder](McpServer::into_builder), followed by the instructions of the servers.
    ///
    /// ```
    /// use mcp_runtime::proxy::{Proxy, Upstream};
    /// use mcp_runtime::transport::ChildProcess;
    ///
    /// let upstream = |program: &'static str| {
    ///     Upstream::new(move |client| client.connect(ChildProcess::new(program)))
    /// };
    /// let proxy = Proxy::several([("shop", upstream("shop-server")), ("books", upstream("books"))]);
    /// # drop(proxy);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if a prefix has another form, or occurs twice. Prefixes that differ only in case are
    /// the same, because schemes of URIs are case-insensitive.
    #[must_use]
    #[track_caller]
    pub fn several(upstreams: impl IntoIterator<Item = (impl Into<String>, Upstream)>) -> Self {
        let upstreams = upstreams.into_iter();
        let upstreams: Vec<_> = upstreams.map(|(prefix, it)| (prefix.into(), it)).collect();
        for (index, (prefix, _)) in upstreams.iter().enumerate() {
            let is_allowed = |it: char| it.is_ascii_alphanumeric() || it == '-';
            let begins = prefix.starts_with(|it: char| it.is_ascii_alphabetic());
            assert!(
                begins && prefix.chars().all(is_allowed),
                "the prefix `{prefix}` must be a letter, followed by letters, digits and `-`"
            );
            let mut others = upstreams[..index].iter();
            assert!(
                !others.any(|(other, _)| other.eq_ignore_ascii_case(prefix)),
                "the prefix `{prefix}` occurs twice"
            );
        }
        Self::of(upstreams)
    }

    /// Hides and refuses the tools for which `offers` returns false.
    ///
    /// `offers` gets the name that clients see, which includes the prefix of the server.
    #[must_use]
    pub fn tools(mut self, offers: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.offers = Arc::new(offers);
        self
    }

    /// Calls `observer` with the prefix of a server and the name of an extension that the proxy does
    /// not offer, each time a client connects. A proxy of several servers offers only extensions
    /// whose names and URIs it can distinguish: tasks and user interfaces.
    #[must_use]
    pub fn on_left_out(mut self, observer: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.left_out = Arc::new(observer);
        self
    }

    /// Lets all clients with a handshake share one connection to a server with a handshake.
    ///
    /// The connection declares the capabilities of the first client. While calls of
    /// several clients are in flight, the server's questions are refused, because a question does not
    /// say which call it belongs to.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.is_shared = true;
        self
    }
}

impl McpServer for Proxy {
    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let proxy = Arc::new(ProxyServer::new(self));
        server.info(info());
        server.settings.serve_raw(Arc::clone(&proxy) as _);
        let started = Arc::clone(&proxy);
        server.on_start(move |_| {
            started.start();
            std::future::ready(())
        });
        server.on_shutdown(move || {
            let proxy = Arc::clone(&proxy);
            async move { proxy.shut_down().await }
        });
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}
