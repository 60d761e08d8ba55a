//! Where a client's connection stands, for whoever wants to know.

use std::fmt;

use tokio::sync::watch;

use crate::protocol::LifecycleState;

/// Whether there is a transport that carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportState {
    /// There is none: not yet, or no more because it was closed.
    Disconnected,
    /// It is being opened.
    Connecting,
    /// It is open.
    Connected,
    /// It was lost, and is going to be opened again.
    Reconnecting,
    /// It was lost for good, and is opened again only if another call asks for it, where it can be
    /// opened again at all. [`Client::lost_because`](crate::Client::lost_because) has the reason.
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
    /// Whether messages can travel.
    pub transport: TransportState,
    /// What may be said.
    pub lifecycle: LifecycleState,
}

impl Status {
    const INITIAL: Self = Self {
        transport: TransportState::Disconnected,
        lifecycle: LifecycleState::Uninitialized,
    };
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
pub struct StatusWatch(watch::Receiver<Status>);

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

/// What is called with each new status.
pub(super) type OnStatus = Box<dyn Fn(Status) + Send + Sync>;

/// Where changes are announced: logged once, shown to the observer, kept for watchers.
pub(super) struct StatusBoard {
    status: watch::Sender<Status>,
    observer: Option<OnStatus>,
}

impl StatusBoard {
    pub(super) fn new(observer: Option<OnStatus>) -> Self {
        Self {
            status: watch::Sender::new(Status::INITIAL),
            observer,
        }
    }

    pub(super) fn current(&self) -> Status {
        *self.status.borrow()
    }

    pub(super) fn watch(&self) -> StatusWatch {
        StatusWatch(self.status.subscribe())
    }

    pub(super) fn set_transport(&self, transport: TransportState) {
        self.change(|status| status.transport = transport);
    }

    pub(super) fn set_lifecycle(&self, lifecycle: LifecycleState) {
        self.change(|status| status.lifecycle = lifecycle);
    }

    fn change(&self, change: impl FnOnce(&mut Status)) {
        let mut now = Status::INITIAL;
        let changed = self.status.send_if_modified(|status| {
            let before = *status;
            change(status);
            now = *status;
            before != now
        });
        if changed {
            tracing::info!(transport = %now.transport, lifecycle = %now.lifecycle, "connection");
            if let Some(observer) = &self.observer {
                observer(now);
            }
        }
    }
}

impl fmt::Debug for StatusBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StatusBoard").field(&self.current()).finish()
    }
}
