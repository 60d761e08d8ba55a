//! Opening a proxy.

use std::sync::Arc;

use mcp_types::{LoggingLevel, ServerCapabilities};

use super::callers::Callers;
use super::follow::follow;
use super::remote::Remote;
use crate::client::Client;
use crate::error::CallError;
use crate::server::announce::Announced;
use crate::server::{List, Server};

impl Server {
    /// A server that offers what the server behind `client` offers, to serve it elsewhere, or to
    /// [mount](crate::ServerBuilder::mount) it.
    ///
    /// Calls are passed on with their progress, which extends the client's wait for the answer up to
    /// the total of its [`timeouts`](crate::ClientBuilder::timeouts), and cancelled there when they
    /// are cancelled here.
    /// When that server says that its lists have changed, they change here, and clients are told;
    /// subscriptions to its resources are passed on. Name, version and instructions are its own. To
    /// pass on its questions and log messages as well, begin with a [`Proxy`](crate::server::Proxy). The connection lives as long as `client`, or
    /// this server.
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
    let capabilities = client.server_capabilities();
    let dynamic = dynamic(&capabilities);
    let logs = hear && capabilities.logging.is_some();
    let remote = Arc::new(Remote::new(client.clone(), capabilities, callers));
    let mut builder = Server::builder();
    if let Some(info) = client.server_info() {
        builder.info(info);
    }
    if let Some(instructions) = client.instructions() {
        builder.instructions(instructions);
    }
    if logs {
        builder.logging();
        // What a caller does not want to hear is left out here.
        if let Err(error) = client.set_log_level(LoggingLevel::Debug).await {
            tracing::warn!(%error, "the server behind a proxy logs as it likes");
        }
    }
    builder.dynamic(dynamic.iter().copied());
    builder.settings.keeps = Some(Arc::clone(&remote) as _);
    let server = builder.build();
    // News that come before the lists are there are not lost: they are asked for again.
    remote.keep(follow(&remote, &server, &dynamic).await?);
    for list in List::ALL {
        remote.update(&server.live, list).await?;
    }
    Ok(server)
}

/// The lists of a server that can change.
fn dynamic(capabilities: &ServerCapabilities) -> Vec<List> {
    let announced = Announced::by(capabilities);
    let lists = [
        (announced.tools, List::Tools),
        (announced.prompts, List::Prompts),
        (announced.resources, List::Resources),
    ];
    let dynamic = lists.into_iter().filter(|(changes, _)| *changes);
    dynamic.map(|(_, list)| list).collect()
}
