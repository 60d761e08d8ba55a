//! Where the current connection is found.

use std::sync::{Arc, Weak};

use tokio::sync::watch;

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
    /// There is no connection, and there will be none.
    Down,
}

/// The newest connection, and whether it can be used.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) phase: Phase,
    pub(super) connection: Arc<Connection>,
}

impl Slot {
    pub(super) fn up(connection: Connection) -> Self {
        Self {
            phase: Phase::Up,
            connection: Arc::new(connection),
        }
    }

    /// The connection, unless it is over: that may be known here before the phase has changed.
    fn usable(&self) -> Option<Arc<Connection>> {
        let usable = self.phase == Phase::Up && !self.connection.link.is_over();
        usable.then(|| Arc::clone(&self.connection))
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

/// The connection, once it can be used.
pub(super) async fn usable(
    mut slot: watch::Receiver<Slot>,
    may_wait: bool,
) -> Result<Arc<Connection>, CallError> {
    loop {
        {
            let slot = slot.borrow_and_update();
            if let Some(connection) = slot.usable() {
                return Ok(connection);
            }
            if !may_wait || slot.phase == Phase::Down {
                return Err(CallError::Closed);
            }
        }
        slot.changed().await.map_err(|_| CallError::Closed)?;
    }
}
