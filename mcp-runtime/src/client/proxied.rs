//! What a proxy needs of the client that leads to the server behind it.

use std::sync::atomic::Ordering;

use mcp_types::{DiscoverRequest, Request, RequestParams};

use super::{Call, Client, Connections, Reconnect};
use crate::error::CallError;

impl Client {
    /// Whether requests that are made now belong to a trace of the client's own.
    pub(crate) fn has_trace(&self) -> bool {
        self.config().tracing.current().is_some()
    }

    /// How the connection is made anew; as usual, where it is not.
    pub(crate) fn reconnect(&self) -> Reconnect {
        self.config().reconnect.unwrap_or_default()
    }

    /// Makes tries to restore a lost connection go on without end: others depend on this client, who
    /// do not see its calls fail.
    pub(crate) fn reconnect_without_end(&self) {
        self.config().endless.store(true, Ordering::Relaxed);
    }

    /// Whether the server keeps a session for this client, now that there is a connection.
    pub(crate) async fn has_session(&self) -> bool {
        let connection = self.connection(true).await;
        connection.is_ok_and(|connection| connection.agreed.meta.is_empty())
    }

    /// Asks a stateless server anew what it offers: there is no connection that could be lost, so
    /// another server may have taken its place. A server with a handshake has said so in that.
    pub(crate) async fn discover_again(&self) -> Result<(), CallError> {
        if self.connection(true).await?.agreed.meta.is_empty() {
            return Ok(());
        }
        let found = self
            .request::<DiscoverRequest>(RequestParams::new())
            .await?;
        let connection = self.connection(false).await?;
        let session = connection.link.session();
        session.with(|lifecycle| lifecycle.discovered_again(found));
        Ok(())
    }
}

impl<R: Request> Call<R> {
    /// Sends further members of `_meta`, as JSON without braces. What the client itself writes there
    /// must not be among them.
    pub(crate) fn with_meta(mut self, members: String) -> Self {
        self.meta = members;
        self
    }

    /// News of progress extend the wait, up to the same total.
    pub(crate) fn extended_by_progress(mut self) -> Self {
        self.options.timeouts.reset_on_progress = true;
        self
    }
}

impl Connections {
    /// Whether there will be no connection any more.
    pub(crate) fn are_over(&self) -> bool {
        self.slot.has_changed().is_err()
    }
}
