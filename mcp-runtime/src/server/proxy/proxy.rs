//! Proxies: servers that offer what another one offers, which is reached through a client.

use std::sync::Arc;

use mcp_types::ServerNotification;

use super::questions::Callers;
use super::upstream::{Upstream, introduction, listen, spawn};
use crate::client::{Client, ClientBuilder};
use crate::error::CallError;
use crate::server::{List, Server};

/// A proxy that passes on questions and log messages of the server behind it to its callers.
///
/// The client of that server has to declare the capabilities for questions, as
/// [`client`](Self::client) does. A question to a caller without the capability is answered with the error
/// that the caller's own server would give. Changes of a caller's roots are not passed on. Log messages go to the caller at the
/// level that it has set.
///
/// A server with a handshake does not name the call of a question or log message. These are passed
/// on only while all calls in flight are of one caller: a single call, or several of one session.
/// Otherwise the question is answered with an error that gives the reason, so that no caller gets
/// the questions of another. [`one_caller_at_a_time`](Self::one_caller_at_a_time) makes callers
/// wait for each other, so that each can be asked. A caller without a handshake answers by
/// repeating its call, which is then passed on again.
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
    /// A proxy without a server behind it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a client that passes on what it is asked, forms, pages, samplings and roots, and what
    /// the server logs.
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

    /// Passes on the calls of one caller at a time: those of others wait, in order of arrival,
    /// until the server behind has answered. So each of its questions and log messages can be
    /// passed on. Only needed for servers with a handshake; stateless ones name the call of each
    /// question.
    ///
    /// The next caller also waits until the server has confirmed the end of a cancelled call.
    ///
    /// A session counts as one caller. Without a session, each call counts as another caller, and
    /// others proceed while its user answers a question; in a session they wait for that user.
    #[must_use]
    pub fn one_caller_at_a_time(self) -> Self {
        self.callers.keep_apart();
        self
    }

    /// A server with the entries of the server behind `client`; see [`Server::proxy`].
    ///
    /// # Errors
    ///
    /// When none of the lists of that server can be read.
    pub async fn server(&self, client: &Client) -> Result<Server, CallError> {
        open(client, Arc::clone(&self.callers), true).await
    }
}

impl Server {
    /// A server with the entries of the server behind `client`, to serve it elsewhere, or to
    /// [mount](crate::ServerBuilder::mount) it.
    ///
    /// Calls are passed on with their progress, which extends the time limit up to the total of the
    /// client's [`timeouts`](crate::ClientBuilder::timeouts), and with their cancellation. The
    /// `_meta` of callers is passed on without `progressToken` and the protocol's own members; a
    /// trace of the client's own replaces theirs.
    ///
    /// When that server announces a change of its lists, they change here, and clients are notified
    /// if anything differs; subscriptions to its resources are passed on. After a reconnection, or
    /// when a subscription over HTTP was opened again, it may be another server: its lists,
    /// instructions and capabilities are requested again, and each subscribed resource counts as
    /// changed. So the lists of a proxy are always declared to change. The lists of a stateless
    /// server that announces no changes are only requested again after a reconnection.
    ///
    /// Name and version are the first ones of that server. Its `experimental` capabilities are
    /// offered; its extensions are not, as their methods are not passed on. To pass on its
    /// questions and log messages as well, use a [`Proxy`](crate::server::Proxy). The connection
    /// lives as long as `client`, or this server.
    ///
    /// A list that can't be read is logged and left out, until that server announces a change of it or
    /// is connected again.
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
    /// When none of the lists of that server can be read.
    pub async fn proxy(client: &Client) -> Result<Self, CallError> {
        open(client, Arc::default(), false).await
    }
}

/// A server that forwards calls to the one behind `client`, and the questions of that one to
/// `callers`; its log messages as well, if `logs`.
async fn open(client: &Client, callers: Arc<Callers>, logs: bool) -> Result<Server, CallError> {
    client.reconnect_endlessly();
    let mut builder = Server::builder();
    if let Some(info) = client.server_info() {
        builder.info(info);
    }
    builder.registry.introduction = introduction(client);
    if logs {
        builder.logging();
    }
    // Whatever that server declares today, another one may take its place.
    builder.list_changed(List::ALL);
    let server = builder.build();
    let upstream = Arc::new(Upstream::new(client.clone(), callers, logs, &server.state));
    // Changes announced before the lists have arrived are not lost: the lists are requested again.
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
