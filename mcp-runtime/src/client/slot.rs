//! The current connection of a client.

use std::sync::{Arc, Weak};

use tokio::sync::watch;

use super::ConnectError;
use super::connect::Agreed;
use super::link::Link;
use crate::error::CallError;

/// An open link, and what was agreed on over it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) link: Link,
    pub(super) agreed: Agreed,
}

/// Whether calls can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Up,
    /// The connection is lost, and being restored.
    Lost,
    /// The connection is lost, and tries to restore it have failed. A call that waits for it makes
    /// one more.
    GivenUp,
    /// The connection is closed, or can't be restored.
    Down,
}

/// The newest connection, and whether it can be used.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) phase: Phase,
    pub(super) connection: Arc<Connection>,
    /// How many tries to restore a connection have failed, since the client began.
    pub(super) failures: u64,
    /// The reason why there is no connection, if it was not closed by this side.
    pub(super) cause: Option<Arc<ConnectError>>,
}

impl Slot {
    pub(super) fn up(connection: Connection) -> Self {
        Self {
            phase: Phase::Up,
            connection: Arc::new(connection),
            failures: 0,
            cause: None,
        }
    }

    /// The connection, unless it is over: that may be known here before the phase has changed.
    pub(super) fn usable(&self) -> Option<Arc<Connection>> {
        let usable = self.phase == Phase::Up && !self.connection.link.is_over();
        usable.then(|| Arc::clone(&self.connection))
    }

    /// The error of whoever has waited for something to come over the connection.
    pub(super) fn lost(&self) -> CallError {
        match self.cause.as_deref() {
            None | Some(ConnectError::Closed) => CallError::Closed,
            Some(cause) => CallError::Lost(cause.to_io()),
        }
    }

    /// The error of a call that was not sent because there is no connection.
    pub(super) fn not_sent(&self) -> CallError {
        match &self.cause {
            Some(cause) => CallError::NotSent(cause.to_io()),
            None => CallError::not_sent(None),
        }
    }
}

/// Follows which connection is the newest.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(super) slot: watch::Receiver<Slot>,
    seen: Weak<Connection>,
}

impl Connections {
    /// Those after the current one.
    pub(super) fn after(slot: watch::Receiver<Slot>) -> Self {
        let seen = Arc::downgrade(&slot.borrow().connection);
        Self { slot, seen }
    }

    /// Waits for a connection that is newer than the last one seen. Pending once there will be
    /// none.
    ///
    /// Cancel safe.
    pub(crate) async fn next(&mut self) {
        loop {
            {
                let slot = self.slot.borrow_and_update();
                let newest = Arc::downgrade(&slot.connection);
                if slot.phase == Phase::Up && !Weak::ptr_eq(&newest, &self.seen) {
                    self.seen = newest;
                    return;
                }
            }
            if self.slot.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// How many calls wait for a connection.
#[derive(Clone, Debug)]
pub(super) struct Demand(watch::Sender<usize>);

impl Demand {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Waits until a call waits.
    pub(super) async fn wanted(&self) {
        let mut waiting = self.0.subscribe();
        // The sender lives as long as this.
        let _ = waiting.wait_for(|waiting| *waiting > 0).await;
    }

    /// Whether a call waits.
    pub(super) fn is_wanted(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// One more call waits, until the guard is dropped.
    fn wait(&self) -> Waiting<'_> {
        self.0.send_modify(|waiting| *waiting += 1);
        Waiting(self)
    }
}

struct Waiting<'a>(&'a Demand);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|waiting| *waiting -= 1);
    }
}

/// The connection, once it can be used. A caller that waits for one that is lost does so until the
/// last try to restore it has failed, and with a `demand` asks for a try soon.
pub(super) async fn usable(
    mut slot: watch::Receiver<Slot>,
    waits: bool,
    demand: Option<&Demand>,
) -> Result<Arc<Connection>, CallError> {
    let (mut waiting, mut failures) = (None, None);
    loop {
        {
            let slot = slot.borrow_and_update();
            if let Some(connection) = slot.usable() {
                return Ok(connection);
            }
            let before = *failures.get_or_insert(slot.failures);
            let tried = slot.failures > before || demand.is_none();
            let given_up = slot.phase == Phase::GivenUp && tried;
            if !waits || slot.phase == Phase::Down || given_up {
                return Err(slot.not_sent());
            }
            if waiting.is_none() {
                waiting = demand.map(Demand::wait);
            }
        }
        let changed = slot.changed().await;
        changed.map_err(|_| CallError::not_sent(None))?;
    }
}
