//! Proxies: servers that offer what another one offers, which is reached through a client.

use std::sync::{Arc, Mutex};

use mcp_types::ServerNotification;

use super::questions::Callers;
use super::upstream::{Upstream, introduction, listen, spawn};
use crate::client::{Client, ClientBuilder};
use crate::error::CallError;
use crate::server::{List, Server};

/// A proxy that passes on questions: what the server behind it asks during a call, it asks whoever
/// made that call.
///
/// The client that leads there has to declare that it can be asked, which the one that
/// [`client`](Self::client) begins does; a caller who can't be asked counts as one who dismisses
/// the question. That the caller's roots have changed is not passed on. What that server logs goes
/// to the caller as well, at the level that it has set.
///
/// A server with a handshake does not say which call its question, or what it logs, belongs to. It
/// is passed on only while all calls in flight are of one caller: a single call, or several of one
/// session. So no caller is asked, or told, what is meant for another: that server gets an error
/// instead of an answer, which says why. Where several callers may
/// call at once and each is to be asked, [`one_caller_at_a_time`](Self::one_caller_at_a_time) makes
/// them wait for each other. A caller without a handshake answers by making its call again, which is
/// then passed on again.
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
/// server.mount("shop", &proxy.server(&client).await?);
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
        let (forms, pages, models) = (callers(), callers(), callers());
        let (roots, logs) = (callers(), callers());
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

    /// Passes on the calls of one caller at a time: those of others wait, in the order in which they
    /// came, until the server behind has answered. So each of its questions and log messages finds
    /// its caller. For servers that ask and have a handshake; one without says whom it asks, and
    /// needs nothing of this.
    ///
    /// Whoever gives up a call keeps the turn until the server behind has taken note.
    ///
    /// A session counts as one caller. A caller without a session counts anew with each call, and
    /// makes room while its user thinks; in a session the others wait for that user as well.
    #[must_use]
    pub fn one_caller_at_a_time(self) -> Self {
        self.callers.keep_apart();
        self
    }

    /// A server that offers what the server behind `client` offers; see [`Server::proxy`].
    ///
    /// # Errors
    ///
    /// When that server does not say what it offers.
    pub async fn server(&self, client: &Client) -> Result<Server, CallError> {
        open(client, Arc::clone(&self.callers), true).await
    }
}

impl Server {
    /// A server that offers what the server behind `client` offers, to serve it elsewhere, or to
    /// [mount](crate::ServerBuilder::mount) it.
    ///
    /// Calls are passed on with their progress, which extends the client's wait for the answer up to
    /// the total of its [`timeouts`](crate::ClientBuilder::timeouts), and cancelled there when they
    /// are cancelled here.
    /// The `_meta` of callers goes with them, but for what concerns the one request
    /// (`progressToken` and the protocol's own members); a trace of the client's own goes before
    /// theirs.
    ///
    /// When that server says that its lists have changed, they change here, and clients are told if
    /// anything differs; subscriptions to its resources are passed on. When the connection was lost
    /// and made anew, or a subscription over HTTP was, it may be another server: its lists, its
    /// instructions and what it declares are asked for again, and each resource that a client here
    /// subscribes to counts as changed. So the lists of a proxy are always declared to change. A
    /// stateless server that announces no changes, or refuses to, is only asked again after a lost
    /// connection.
    ///
    /// Name and version are those that it had at first. Its `experimental` capabilities are offered,
    /// its extensions are not: their methods are not passed on. To pass on its questions and log
    /// messages as well, begin with a [`Proxy`](crate::server::Proxy). The connection lives as long
    /// as `client`, or this server.
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
    /// server.mount("all", &Server::proxy(&client).await?);
    /// # drop(server.build());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When that server does not say what it offers.
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
    builder.dynamic(List::ALL);
    let server = builder.build();
    let upstream = Arc::new(Upstream {
        client: client.clone(),
        callers,
        logs,
        state: Arc::downgrade(&server.state),
        watched: Mutex::default(),
        offered: Default::default(),
    });
    // News that come before the lists are there are not lost: they are asked for again.
    let news = listen(client).await;
    upstream.request_logs().await;
    for list in List::ALL {
        upstream.update_list(list).await?;
    }
    let following = spawn(upstream.follow(news));
    server.state.task.get_or_init(|| following);
    Ok(server)
}
