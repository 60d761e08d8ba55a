//! Requests of this side that wait for their answers.

use std::sync::Arc;
use std::time::Instant;

use mcp_types::jsonrpc::{ErrorObject, RequestId, write};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, Notification, ProgressNotificationParams,
    RawJson, RawJsonRef,
};
use tokio::sync::oneshot;

use crate::error::CallError;
use crate::protocol::Timeouts;

/// A request of this side that was sent.
pub(crate) struct Requested<D> {
    pub(crate) waiter: Waiter,
    /// Where it was sent.
    pub(crate) to: D,
    /// How many bytes were to be sent before it since the connection began; 0 where they are not
    /// counted.
    pub(crate) offset: u64,
}

/// A message, and where it is to be sent.
pub(crate) type Sent<D> = (D, Vec<u8>);

/// The caller of a request, which waits for the answer.
pub(crate) struct Waiter {
    pub(super) options: SendOptions,
    pub(super) answer: oneshot::Sender<Result<RawJson, CallError>>,
}

/// Options of a request that this side sends.
pub(crate) struct SendOptions {
    pub(crate) method: &'static str,
    pub(crate) timeouts: Timeouts,
    /// Whether the peer is notified when the caller gives up: some requests can't be cancelled, and
    /// some peers can't be notified yet.
    pub(crate) cancellable: bool,
    /// Whether the peer may ask something before it answers.
    pub(crate) takes_input: bool,
    pub(crate) progress: Option<OnProgress>,
}

/// Called with each progress notification of a request.
pub(crate) type OnProgress = Arc<dyn Fn(ProgressNotificationParams) + Send + Sync>;

impl Waiter {
    pub(crate) fn finish(self, outcome: Result<RawJson, CallError>) {
        // The caller may have given up in the meantime.
        let _ = self.answer.send(outcome);
    }
}

/// The outcome in a response, or the fault that makes the response unusable.
pub(crate) type Answer<'a> = Result<Result<RawJsonRef<'a>, ErrorObject>, String>;

/// Passes a response on to the request that it names, which `remove` takes from the table of
/// pending requests. A malformed response fails that request; one that no request waits for is
/// ignored.
pub(super) fn answered(
    id: Option<&RequestId>,
    answer: Answer<'_>,
    remove: impl FnOnce(i64) -> Option<Waiter>,
) {
    // Ids of requests are numbers: one that comes back as a string was changed on the way.
    let (number, answer) = match id {
        Some(RequestId::Number(id)) => (Some(*id), answer),
        Some(RequestId::String(id)) => {
            let reason = format!("`id` is the string \"{id}\" instead of the number that was sent");
            (id.parse().ok(), Err(reason))
        }
        None => (None, answer),
    };
    match (number.and_then(remove), answer) {
        (Some(waiter), Ok(outcome)) => {
            waiter.finish(outcome.map(RawJson::from).map_err(CallError::Rpc));
        }
        (Some(waiter), Err(reason)) => {
            let method = waiter.options.method.to_owned();
            waiter.finish(Err(CallError::Malformed { method, reason }));
        }
        (None, Ok(_)) => tracing::debug!(?id, "a response that nobody waits for was ignored"),
        (None, Err(reason)) => tracing::debug!(?id, reason, "a malformed response was ignored"),
    }
}

/// The notification that cancels the request `id` at the peer, unless it can't be cancelled.
pub(super) fn cancellation<D: Clone>(
    id: i64,
    requested: &Requested<D>,
    reason: &str,
) -> Option<Sent<D>> {
    if !requested.waiter.options.cancellable {
        return None;
    }
    let params = CancelledNotificationParams::new()
        .with_request_id(id)
        .with_reason(reason);
    let mut frame = Vec::new();
    write::notification(&mut frame, CancelledNotification::METHOD, Some(&params));
    Some((requested.to.clone(), frame))
}

/// The time by tokio's clock, which tests can stop.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
