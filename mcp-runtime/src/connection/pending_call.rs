//! Requests of this side that wait for their answers.

use std::sync::Arc;
use std::time::Instant;

use mcp_types::jsonrpc::ErrorObject;
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, ProgressNotificationParams, RawJson,
    RawJsonRef,
};
use tokio::sync::{oneshot, watch};

use super::peer::notification;
use crate::error::CallError;
use crate::protocol::Timeouts;

/// A request of this side that was sent.
pub(crate) struct PendingCall<D> {
    pub(crate) waiter: Waiter,
    /// Destination to which it was sent.
    pub(crate) to: D,
    /// Bytes that were to be sent before it since the connection began; 0 where they are not
    /// counted.
    pub(crate) offset: u64,
}

/// A message, and its destination.
pub(crate) type Addressed<D> = (D, Vec<u8>);

/// The caller of a request, which waits for the answer.
pub(crate) struct Waiter {
    pub(super) options: SendOptions,
    pub(super) answer: oneshot::Sender<Result<RawJson, CallError>>,
}

/// Options of a request that this side sends.
pub(crate) struct SendOptions {
    pub(crate) method: &'static str,
    pub(crate) timeouts: Timeouts,
    /// True if the peer is notified when the caller gives up: some requests can't be cancelled, and
    /// some peers can't be notified yet.
    pub(crate) cancellable: bool,
    /// True if the peer may ask something before it answers.
    pub(crate) takes_input: bool,
    pub(crate) progress: Option<OnProgress>,
    /// Learns whether the time limits are suspended by the transport.
    pub(crate) suspended: Option<watch::Sender<bool>>,
    /// Gets a result whose caller is gone.
    pub(crate) late: Option<OnLate>,
}

/// Called with each progress notification of a request.
pub(crate) type OnProgress = Arc<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// Called with the result of a request whose caller is gone.
pub(crate) type OnLate = Arc<dyn Fn(RawJson) + Send + Sync>;

impl Waiter {
    pub(crate) fn finish(self, outcome: Result<RawJson, CallError>) {
        // Fails when the caller has given up in the meantime.
        if let Err(Ok(result)) = self.answer.send(outcome)
            && let Some(late) = &self.options.late
        {
            late(result);
        }
    }
}

/// The outcome in a response, or the fault that makes the response unusable.
pub(crate) type PeerResponse<'a> = Result<Result<RawJsonRef<'a>, ErrorObject>, String>;

impl<D> PendingCall<D> {
    /// Fails the call `id` with `error`. Gives back the notification that cancels it at the peer,
    /// unless it can't be cancelled.
    pub(super) fn give_up(self, id: i64, reason: &str, error: CallError) -> Option<Addressed<D>> {
        let cancellation = self.cancellation(id, reason);
        self.waiter.finish(Err(error));
        Some((self.to, cancellation?))
    }

    /// The notification that cancels the call `id` at the peer, unless it can't be cancelled.
    pub(super) fn cancellation(&self, id: i64, reason: &str) -> Option<Vec<u8>> {
        let params = CancelledNotificationParams::new()
            .with_request_id(id)
            .with_reason(reason);
        let cancellable = self.waiter.options.cancellable;
        cancellable.then(|| notification::<CancelledNotification>(Some(&params)))
    }
}

/// The time by tokio's clock, which tests can stop.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
