//! The lifecycle of one connection, shared by the driver and those who call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::status::StatusBoard;
use crate::protocol::{ClientLifecycle, LifecycleState};

/// One lifecycle, whose changes are announced.
#[derive(Debug)]
pub(super) struct Session {
    lifecycle: Mutex<ClientLifecycle>,
    board: Arc<StatusBoard>,
    /// How much the server has sent.
    frames: AtomicU64,
}

impl Session {
    pub(super) fn new(board: Arc<StatusBoard>) -> Self {
        board.set_lifecycle(LifecycleState::Uninitialized);
        Self {
            lifecycle: Mutex::new(ClientLifecycle::new()),
            board,
            frames: AtomicU64::new(0),
        }
    }

    /// The server has sent something.
    pub(super) fn heard(&self) {
        self.frames.fetch_add(1, Ordering::Relaxed);
    }

    /// How much the server has sent so far.
    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }

    /// Asks or moves the lifecycle.
    pub(super) fn with<T>(&self, f: impl FnOnce(&mut ClientLifecycle) -> T) -> T {
        let mut lifecycle = self
            .lifecycle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = lifecycle.state();
        let result = f(&mut lifecycle);
        let after = lifecycle.state();
        // Announced under the lock, so that changes are seen in order.
        if before != after {
            self.board.set_lifecycle(after);
        }
        result
    }
}
