//! The current connection of a client.

use std::io;
use std::sync::Arc;

use mcp_types::ServerCapabilities;

use super::ConnectError;
use super::channel::Channel;
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::protocol::Negotiated;

/// Opens the transport of a client once more.
pub(super) type Open = Box<dyn Fn() -> BoxFuture<io::Result<Channel>> + Send + Sync>;

/// A channel over which everything is negotiated.
pub(super) struct Connection {
    pub(super) channel: Channel,
    pub(super) negotiated: Arc<Negotiated<ServerCapabilities>>,
    /// The members of `_meta` that every request carries, as JSON without braces; empty in
    /// revisions with a handshake.
    pub(super) meta: String,
}

impl Connection {
    /// Returns true if the server keeps a session for this client.
    pub(super) fn has_session(&self) -> bool {
        self.meta.is_empty()
    }
}

/// Availability of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Connected,
    /// The connection is lost, and being restored.
    Reconnecting,
    /// The connection is lost, and tries to restore it have failed. A call that waits for it makes
    /// one more.
    GivenUp,
    /// The connection is closed, or can't be restored.
    Closed,
}

/// The newest connection, and whether it can be used.
#[derive(Clone)]
pub(super) struct ConnectionState {
    pub(super) phase: Phase,
    pub(super) connection: Arc<Connection>,
    /// Number of connections before this one.
    pub(super) number: u64,
    /// Number of tries to restore a connection that have ended, since the client began.
    pub(super) tries: u64,
    /// The reason why there is no connection, unless this side has closed it.
    pub(super) cause: Option<Arc<ConnectError>>,
}

impl ConnectionState {
    /// The connection, unless it is over, which may be known here before the phase has changed.
    pub(super) fn usable(&self) -> Option<Arc<Connection>> {
        let usable = self.phase == Phase::Connected && !self.connection.channel.is_over();
        usable.then(|| Arc::clone(&self.connection))
    }

    /// The error of a request whose answer was lost with the connection.
    pub(super) fn lost(&self) -> CallError {
        match self.cause.as_deref() {
            None | Some(ConnectError::Closed | ConnectError::ClosedInOperation) => {
                CallError::Closed
            }
            Some(cause) => CallError::Lost(cause.to_io()),
        }
    }

    /// The error of a request that was not sent because there is no connection.
    pub(super) fn not_sent(&self) -> CallError {
        match &self.cause {
            Some(cause) => CallError::NotSent(cause.to_io()),
            None => CallError::not_sent(None),
        }
    }
}
