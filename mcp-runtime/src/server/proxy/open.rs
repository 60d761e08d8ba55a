//! Opening a proxy.

use std::sync::Arc;

use super::callers::Callers;
use super::follow::{follow, listen};
use super::remote::Remote;
use crate::client::Client;
use crate::error::CallError;
use crate::server::{List, Server};

impl Server {
    /// A server that offers what the server behind `client` offers, to serve it elsewhere, or to
    /// [mount](crate::ServerBuilder::mount) it.
    ///
    /// Calls are passed on with their progress, which extends the client's wait for the answer up to
    /// the total of its [`timeouts`](crate::ClientBuilder::timeouts), and cancelled there when they
    /// are cancelled here.
    /// What callers say in `_meta` goes with them, but for what concerns the one request
    /// (`progressToken` and the protocol's own members); a trace of the client's own goes before
    /// theirs.
    ///
    /// When that server says that its lists have changed, they change here, and clients are told if
    /// anything differs; subscriptions to its resources are passed on. When the connection was lost
    /// and made anew, or a subscription over HTTP was, it may be another server: its lists, its
    /// instructions and what it declares are asked for again, and each resource that somebody here
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
        server(client, Arc::default(), false).await
    }
}

/// A server that passes on calls to the one behind `client`, and the questions of that one to
/// `callers`; its log messages as well, if they `hear` of them.
pub(super) async fn server(
    client: &Client,
    callers: Arc<Callers>,
    hear: bool,
) -> Result<Server, CallError> {
    client.reconnect_without_end();
    let remote = Arc::new(Remote::new(client.clone(), callers, hear));
    let mut builder = Server::builder();
    if let Some(info) = client.server_info() {
        builder.info(info);
    }
    builder.inventory.introduction = remote.introduction();
    if hear {
        builder.logging();
    }
    // Whatever that server declares today, another one may take its place.
    builder.dynamic(List::ALL);
    builder.settings.keeps = Some(Arc::clone(&remote) as _);
    let server = builder.build();
    // News that come before the lists are there are not lost: they are asked for again.
    let news = listen(client).await;
    remote.hear().await;
    for list in List::ALL {
        remote.update_list(&server.live, list).await?;
    }
    let (behind, live) = (Arc::downgrade(&remote), Arc::downgrade(&server.live));
    let following = follow(client.clone(), behind, live, news);
    remote.keep(tokio::spawn(following).abort_handle());
    Ok(server)
}
