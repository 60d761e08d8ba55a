//! Ways to a peer.

use std::any::Any;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::mpsc::UnboundedSender;

use super::Command;
use crate::error::CallError;

/// Takes what is to be sent on its way.
pub(crate) trait Link: Any + Send + Sync {
    /// Passes on a command.
    ///
    /// # Errors
    ///
    /// When the connection is over, or can't carry such a thing.
    fn send(&self, command: Command) -> Result<(), CallError>;

    /// An id for a request, never used before on this connection.
    fn next_id(&self) -> i64;

    /// Who the peer is, by a name that an authenticating layer has vouched for.
    fn principal(&self) -> Option<&str> {
        None
    }

    /// Where what is known of the peer's origin is kept, if anything is known but by the link.
    fn origin(&self) -> Option<&Origin> {
        None
    }
}

/// What is known of where a peer comes from: of a type that depends on who has found it out.
pub(crate) type Origin = OnceLock<Arc<dyn Any + Send + Sync>>;

/// The way through a driver's queue.
#[derive(Debug)]
pub(super) struct Queue {
    commands: UnboundedSender<Command>,
    last_id: AtomicI64,
    origin: Origin,
}

impl Queue {
    pub(super) fn new(commands: UnboundedSender<Command>) -> Self {
        Self {
            commands,
            last_id: AtomicI64::new(0),
            origin: Origin::new(),
        }
    }
}

impl Link for Queue {
    fn send(&self, command: Command) -> Result<(), CallError> {
        self.commands.send(command).map_err(|_| CallError::Closed)
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn origin(&self) -> Option<&Origin> {
        Some(&self.origin)
    }
}
