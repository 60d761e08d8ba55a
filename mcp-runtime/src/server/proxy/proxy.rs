//! The public API of proxies: servers that offer the entries of another server, which they reach
//! through a client.

use std::sync::Arc;

use mcp_types::ServerNotification;

use super::questions::Callers;
use super::upstream::{Upstream, introduction, listen, spawn};
use crate::client::{Client, ClientBuilder};
use crate::error::CallError;
use crate::server::{List, Server};

/// A proxy that also passes questions and log messages of the server behind it, the upstream
/// server, on to its callers.
///
/// The client of the upstream server must declare the capabilities for questions;
/// [`client`](Self::client) does this. If the caller lacks a capability, the question is answered
/// with the same error as without a proxy. Log messages are sent to the caller at the level that it
/// has set. Changes to a caller's roots are not passed on.
///
/// In the handshake era, the upstream server does not say which call a question or log message
/// belongs to. Questions and log messages are therefore passed on only while all calls in flight
/// are from one caller: a single call, or several calls of one session. Otherwise, the question is
/// answered with an error that gives this reason, and the log message is dropped. With
/// [`one_caller_at_a_time`](Self::one_caller_at_a_time), callers wait for each other, and each of
/// them can be asked. A caller in the stateless era answers by repeating its call, which is passed
/// on again.
///
/// ```no_run
/// use mcp_runtime::Server;
/// use mcp_runtime::server::Proxy;
/// use mcp_runtime::transport::ChildProcess;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let proxy = Proxy::new();
/// let behind = ChildProcess::new("shop-server");
/// let client = proxy.client("gateway", "1.0.0").connect(behind).await?;
///
/// let mut server = Server::builder();
/// server.mount("shop", proxy.server(&client).await?);
/// # drop(server.build());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Proxy {
    callers: Arc<Callers>,
}

impl Proxy {
    /// Creates a proxy without a server behind it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a client that passes on all questions (forms, pages, sampling and roots) and log
    /// messages of its server.
    #[expect(deprecated, reason = "a proxy passes on what its two sides use")]
    pub fn client(&self, name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        let callers = || Arc::clone(&self.callers);
        let forms = callers();
        let pages = callers();
        let models = callers();
        let roots = callers();
        let logs = callers();
        Client::builder(name, version)
            .on_form(move |form| Arc::clone(&forms).form(form))
            .on_page(move |page| Arc::clone(&pages).page(page))
            .on_sample(move |params| Arc::clone(&models).sample(params))
            .sample_with_tools()
            .on_roots(move || Arc::clone(&roots).roots())
            .on_notification(move |notification| {
                if let ServerNotification::LoggingMessage(message) = notification {
                    logs.log(message);
                }
            })
    }

    /// Passes on the calls of one caller at a time, so each question and log message can be passed
    /// on.
    ///
    /// Calls of other callers wait, in order of arrival, until the upstream server has answered.
    /// The next caller also waits until the server has confirmed the end of a cancelled call. This
    /// is needed only for servers of the handshake era, since stateless servers ask in the answer
    /// to the call.
    ///
    /// All calls of a session are from the same caller, and other callers wait while its user
    /// answers a question. Without a session, each call is from a different caller, and others
    /// proceed while its user answers.
    #[must_use]
    pub fn one_caller_at_a_time(self) -> Self {
        self.callers.keep_apart();
        self
    }

    /// Returns a server with the entries of the server behind `client`. See [`Server::proxy`].
    ///
    /// # Errors
    ///
    /// When none of the lists of the upstream server can be read.
    pub async fn server(&self, client: &Client) -> Result<Server, CallError> {
        open(client, Arc::clone(&self.callers), true).await
    }
}

impl Server {
    /// Returns a server with the entries of the server behind `client`, to serve it over another
    /// transport, or to [mount](crate::ServerBuilder::mount) it.
    ///
    /// Calls are passed on with their progress and cancellation. Progress extends the time limit up
    /// to the total of the client's [`timeouts`](crate::ClientBuilder::timeouts). The `_meta` of
    /// callers is passed on without `progressToken` and the protocol's own members. If `client` has
    /// its own trace, it replaces the trace of the caller.
    ///
    /// When the upstream server announces a change of its lists, the proxy updates its own lists,
    /// and notifies its clients if anything differs. Subscriptions to resources are passed on.
    /// After a reconnection, or when a subscription over HTTP was opened again, the upstream server
    /// may be a different one: the proxy requests its lists, instructions and capabilities again,
    /// and reports each subscribed resource as changed. For this reason, a proxy always declares
    /// that its lists can change. If a stateless server does not announce changes, its lists are
    /// requested again only after a reconnection.
    ///
    /// The proxy keeps the name and version that the upstream server had at the start. It offers
    /// the server's `experimental` capabilities, but not its extensions, because their methods are
    /// not passed on. To pass on questions and log messages as well, use a
    /// [`Proxy`](crate::server::Proxy). The connection stays open as long as `client` or this
    /// server exists.
    ///
    /// A list that can't be read is logged and left out, until the upstream server announces a
    /// change or is connected again.
    ///
    /// ```no_run
    /// use mcp_runtime::transport::ChildProcess;
    /// use mcp_runtime::{Client, Server};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let everything = ChildProcess::new("npx").args(["-y", "@modelcontextprotocol/server-everything"]);
    /// let client = Client::builder("gateway", "1.0.0").connect(everything).await?;
    ///
    /// let mut server = Server::builder();
    /// server.mount("all", Server::proxy(&client).await?);
    /// # drop(server.build());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When none of the lists of the upstream server can be read.
    pub async fn proxy(client: &Client) -> Result<Self, CallError> {
        open(client, Arc::default(), false).await
    }
}

/// Returns a server that forwards calls to the server behind `client`, and that server's questions
/// to `callers`. Log messages are forwarded only if `logs` is true.
async fn open(client: &Client, callers: Arc<Callers>, logs: bool) -> Result<Server, CallError> {
    client.reconnect_endlessly();
    let mut builder = Server::builder();
    if let Some(info) = client.server_info() {
        builder.info(info);
    }
    builder.registry.introduction = introduction(client);
    // Without `ServerBuilder::logging`, which warns of what the program has not chosen.
    builder.settings.logging = logs;
    // A different server, with other lists, may be connected later.
    builder.list_changed(List::ALL);
    let server = builder.build();
    let upstream = Arc::new(Upstream::new(client.clone(), callers, logs, &server.state));
    // Subscribe first, to not miss changes that are announced while the lists are read.
    let news = listen(client).await;
    upstream.request_logs().await;
    let (is_read, failed) = upstream.update_lists().await;
    if let Some(error) = failed.filter(|_| !is_read) {
        return Err(error);
    }
    let following = spawn(upstream.follow(news));
    server.state.task.get_or_init(|| following);
    Ok(server)
}
