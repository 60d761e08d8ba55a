//! The status of a client, for its users.

use std::fmt;

use tokio::sync::watch;

use crate::protocol::LifecycleState;

/// State of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportState {
    /// Not opened yet, or closed.
    Disconnected,
    /// Being opened.
    Connecting,
    /// Open.
    Connected,
    /// Lost, and going to be opened again.
    Reconnecting,
    /// Lost, and no longer restored by itself; another call may try once more.
    /// [`Client::lost_because`](crate::Client::lost_because) has the reason.
    Lost,
}

impl fmt::Display for TransportState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disconnected => "disconnected",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Reconnecting => "reconnecting",
            Self::Lost => "lost",
        })
    }
}

/// The state of a client: of its transport, and of the protocol that runs over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// State of the transport.
    pub transport: TransportState,
    /// State of the protocol.
    pub lifecycle: LifecycleState,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.transport, self.lifecycle)
    }
}

/// Follows the status of a client.
///
/// Changes in quick succession may be seen as one; [`on_status`] sees each of them.
///
/// [`on_status`]: crate::ClientBuilder::on_status
#[derive(Clone, Debug)]
pub struct StatusWatch(pub(super) watch::Receiver<Status>);

impl StatusWatch {
    /// The status as it is now.
    #[must_use]
    pub fn current(&self) -> Status {
        *self.0.borrow()
    }

    /// Waits for a change. `None` once there can't be any, because the client is gone.
    pub async fn changed(&mut self) -> Option<Status> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn changes_are_followed_until_the_client_is_gone() {
        let status = |transport, lifecycle| Status {
            transport,
            lifecycle,
        };
        let before = status(TransportState::Disconnected, LifecycleState::Uninitialized);
        let sender = watch::Sender::new(before);
        let mut watching = StatusWatch(sender.subscribe());
        assert_eq!(
            watching.current().to_string(),
            "disconnected, uninitialized"
        );
        sender.send_replace(status(TransportState::Connected, LifecycleState::Operating));
        let changed = watching.changed().await.unwrap();
        assert_eq!(changed.to_string(), "connected, operating");
        drop(sender);
        assert_eq!(watching.changed().await, None);
    }
}
