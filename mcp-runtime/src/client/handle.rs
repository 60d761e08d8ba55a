//! The handle to a server.

use std::sync::Arc;

use mcp_types::{
    Implementation, PingRequest, Request, RequestParams, Revision, ServerCapabilities,
};

use super::config::Config;
use super::connect::Agreed;
use super::link::Link;
use super::status::{Status, StatusBoard, StatusWatch};
use super::{Call, ClientBuilder};
use crate::error::CallError;
use crate::protocol::Agreement;

/// A connection to a server. Cloning is cheap: the clones share it.
///
/// When the last clone is dropped, the connection is closed in the background;
/// [`close`](Self::close) waits until that is done.
///
/// ```
/// use mcp_runtime::{Client, Server};
/// use mcp_runtime::transport::memory;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let (ours, theirs) = memory::pair();
/// let serving = tokio::spawn(Server::builder().build().serve(theirs).into_future());
///
/// let client = Client::builder("example", "1.0.0").connect(ours).await?;
/// assert_eq!(client.server_info().unwrap().name, "mcp-server");
/// client.close().await;
/// # serving.await.unwrap().unwrap();
/// # Ok::<_, mcp_runtime::ConnectError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: Config,
    board: Arc<StatusBoard>,
    connection: Connection,
}

/// An open link, and what was agreed on over it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) link: Link,
    pub(super) agreed: Agreed,
}

impl Client {
    /// Begins a client that calls itself `name`, in `version`.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name.into(), version.into())
    }

    pub(super) fn new(config: Config, board: Arc<StatusBoard>, link: Link, agreed: Agreed) -> Self {
        let connection = Connection { link, agreed };
        let inner = Inner {
            config,
            board,
            connection,
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    pub(super) fn config(&self) -> &Config {
        &self.inner.config
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.inner.connection
    }

    /// A request of any kind; await it to send it.
    pub fn request<R: Request>(&self, params: R::Params) -> Call<R> {
        Call::new(self, Ok(params))
    }

    /// Asks the server for a sign of life.
    ///
    /// # Errors
    ///
    /// [`CallError::Unavailable`] in the stateless era, which has no `ping`; otherwise why there
    /// is no answer.
    pub async fn ping(&self) -> Result<(), CallError> {
        self.request::<PingRequest>(RequestParams::new()).await?;
        Ok(())
    }

    /// What was agreed on when the client connected.
    #[must_use]
    pub fn agreement(&self) -> Arc<Agreement> {
        Arc::clone(&self.connection().agreed.agreement)
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.agreement().revision
    }

    /// What the server says it is. Not verified: for display and logs, not for decisions.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.agreement().server_info.clone()
    }

    /// What the server offers.
    #[must_use]
    pub fn server_capabilities(&self) -> ServerCapabilities {
        self.agreement().server_capabilities.clone()
    }

    /// What a model should know to use the server well.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.agreement().instructions.clone()
    }

    /// Where the connection stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.inner.board.current()
    }

    /// Follows where the connection stands.
    #[must_use]
    pub fn watch_status(&self) -> StatusWatch {
        self.inner.board.watch()
    }

    /// Closes the connection, and waits until everything is released. Calls that still wait for
    /// an answer fail with [`CallError::Closed`].
    pub async fn close(&self) {
        self.connection().link.close().await;
    }
}
