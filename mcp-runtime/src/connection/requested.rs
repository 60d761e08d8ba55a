//! Requests of this side that get no answer: out of time, cancelled, or lost with the connection.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use mcp_types::jsonrpc::write;
use mcp_types::{CancelledNotification, CancelledNotificationParams, Notification};

use super::{Command, Core, Role, Waiter};
use crate::error::CallError;

/// A request of this side.
pub(super) struct Requested {
    pub(super) waiter: Waiter,
    /// How much was written to the outbox before it, in all.
    pub(super) offset: u64,
}

impl<R: Role> Core<R> {
    pub(super) fn cancel_at_peer(&mut self, id: i64, waiter: &Waiter, reason: &str) {
        if !waiter.is_cancellable() {
            return;
        }
        let params = CancelledNotificationParams::new()
            .with_request_id(id)
            .with_reason(reason);
        let mut frame = Vec::new();
        write::notification(&mut frame, CancelledNotification::METHOD, Some(&params));
        self.push(&frame);
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.pending.next_deadline()
    }

    /// Gives up the requests that have run out of time.
    pub(super) fn expire(&mut self, now: Instant) {
        for (id, requested, waited) in self.pending.expire(now) {
            self.cancel_at_peer(id, &requested.waiter, "no answer came in time");
            requested.waiter.time_out(waited);
        }
    }

    /// Cancels the requests of this side that are not answered yet.
    pub(super) fn abandon_pending(&mut self) {
        for (id, requested) in self.pending.drain() {
            self.cancel_at_peer(id, &requested.waiter, "the connection is being closed");
            requested.waiter.finish(Err(CallError::Closed));
        }
    }

    /// Fails all requests of this side, because the peer is gone. Those that were not written
    /// before the byte `written` of all that the outbox has held were not sent.
    pub(super) fn fail_pending(&mut self, written: u64, cause: Option<&Arc<io::Error>>) {
        for (_, requested) in self.pending.drain() {
            let error = match requested.offset < written {
                true => CallError::lost(cause),
                false => CallError::not_sent(cause),
            };
            requested.waiter.finish(Err(error));
        }
    }

    /// Refuses further commands, and fails the requests among those that wait.
    pub(super) fn close_commands(&mut self, cause: Option<&Arc<io::Error>>) {
        self.commands.close();
        while let Some(command) = self.commands.try_recv() {
            if let Command::Request { waiter, .. } = command {
                waiter.finish(Err(CallError::not_sent(cause)));
            }
        }
    }
}
