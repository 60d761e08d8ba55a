//! The current connection of a client.

use std::io;
use std::sync::{Arc, Weak};

use mcp_types::ServerCapabilities;
use tokio::sync::watch;

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
    /// Whether the server keeps a session for this client.
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
    /// Number of failed tries to restore a connection, since the client began.
    pub(super) failures: u64,
    /// The reason why there is no connection, unless this side has closed it.
    pub(super) cause: Option<Arc<ConnectError>>,
}

impl ConnectionState {
    pub(super) fn new(connection: Connection, failures: u64) -> Self {
        Self {
            phase: Phase::Connected,
            connection: Arc::new(connection),
            failures,
            cause: None,
        }
    }

    /// The connection, unless it is over, which may be known here before the phase has changed.
    pub(super) fn usable(&self) -> Option<Arc<Connection>> {
        let usable = self.phase == Phase::Connected && !self.connection.channel.is_over();
        usable.then(|| Arc::clone(&self.connection))
    }

    /// The error of a request whose answer was lost with the connection.
    pub(super) fn lost(&self) -> CallError {
        match self.cause.as_deref() {
            None | Some(ConnectError::Closed) => CallError::Closed,
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

/// Follows the connections of a client.
pub(crate) struct Connections {
    pub(super) state: watch::Receiver<ConnectionState>,
    seen: Weak<Connection>,
}

impl Connections {
    /// The connections after the current one.
    pub(super) fn after(state: watch::Receiver<ConnectionState>) -> Self {
        let seen = Arc::downgrade(&state.borrow().connection);
        Self { state, seen }
    }

    /// Waits for a connection that is newer than the last one seen. Pending once there will be
    /// none.
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) {
        let is_newer = |state: &ConnectionState| {
            let newest = Arc::downgrade(&state.connection);
            state.phase == Phase::Connected && !Weak::ptr_eq(&newest, &self.seen)
        };
        let Ok(newer) = self.state.wait_for(is_newer).await else {
            return std::future::pending().await;
        };
        self.seen = Arc::downgrade(&newer.connection);
    }
}

/// Number of calls that wait for a connection.
#[derive(Clone)]
pub(super) struct WaitingCalls(watch::Sender<usize>);

impl WaitingCalls {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Waits until a call waits.
    pub(super) async fn any(&self) {
        let mut waiting = self.0.subscribe();
        // Can't fail: the sender lives as long as this.
        let _ = waiting.wait_for(|waiting| *waiting > 0).await;
    }

    /// Whether a call waits.
    pub(super) fn is_any(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Counts one more call until the guard is dropped.
    fn enter(&self) -> WaitingCall {
        self.0.send_modify(|waiting| *waiting += 1);
        WaitingCall(self.clone())
    }
}

struct WaitingCall(WaitingCalls);

impl Drop for WaitingCall {
    fn drop(&mut self) {
        self.0.0.send_modify(|waiting| *waiting -= 1);
    }
}

/// Waits for a connection that can be used, until the last try to restore it has failed. With
/// `waiting`, asks for a try soon.
///
/// # Errors
///
/// [`CallError::NotSent`] when there is none, or at once unless the caller `waits`.
pub(super) async fn usable(
    mut state: watch::Receiver<ConnectionState>,
    waits: bool,
    waiting: Option<&WaitingCalls>,
) -> Result<Arc<Connection>, CallError> {
    let (mut guard, mut failures) = (None, None);
    loop {
        {
            let state = state.borrow_and_update();
            if let Some(connection) = state.usable() {
                return Ok(connection);
            }
            let before = *failures.get_or_insert(state.failures);
            let tried = state.failures > before || waiting.is_none();
            let given_up = state.phase == Phase::GivenUp && tried;
            if !waits || state.phase == Phase::Closed || given_up {
                return Err(state.not_sent());
            }
            if guard.is_none() {
                guard = waiting.map(WaitingCalls::enter);
            }
        }
        let changed = state.changed().await;
        changed.map_err(|_| CallError::not_sent(None))?;
    }
}
