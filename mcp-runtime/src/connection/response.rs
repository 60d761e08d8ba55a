//! Responses to the peer.

use std::borrow::Cow;
use std::convert::Infallible;

use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, RequestId};

use super::handler::contain;
use crate::error::RequestError;
use crate::transport::Outbox;

/// A result on its way out.
pub(crate) trait Outgoing: Send + 'static {
    /// Appends the response with this result to `out`.
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()>;

    /// The same into an outbox, as one line.
    fn send(&self, outbox: &mut Outbox, id: &RequestId) -> serde_json::Result<()> {
        outbox.push(|out| self.write(out, id))
    }
}

/// The response to the request `id`. A result that can't be written becomes an error.
pub(crate) fn response<A: Outgoing>(id: &RequestId, outcome: &Result<A, ErrorObject>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    if let Some(error) = failure(outcome, |answer| answer.write(&mut out, id)) {
        write_error(&mut out, ErrorId::Of(id), &error);
    }
    out
}

/// The same into an outbox, as one line.
pub(super) fn send_response<A: Outgoing>(
    outbox: &mut Outbox,
    id: &RequestId,
    outcome: &Result<A, ErrorObject>,
) {
    if let Some(error) = failure(outcome, |answer| answer.send(outbox, id)) {
        let Ok(()) = outbox.push(|out| {
            write_error(out, ErrorId::Of(id), &error);
            Ok::<_, Infallible>(())
        });
    }
}

/// The error that is the response, unless `write` has written the result.
fn failure<A>(
    outcome: &Result<A, ErrorObject>,
    write: impl FnOnce(&A) -> serde_json::Result<()>,
) -> Option<Cow<'_, ErrorObject>> {
    let answer = match outcome {
        Ok(answer) => answer,
        Err(error) => return Some(Cow::Borrowed(error)),
    };
    match contain(|| write(answer)) {
        Ok(Ok(())) => None,
        Ok(Err(fault)) => {
            tracing::error!(%fault, "a result can't be serialised");
            Some(Cow::Owned(RequestError::Internal.to_error()))
        }
        Err(panic) => Some(Cow::Owned(panic)),
    }
}

/// Appends the answer to a message that is refused.
pub(crate) fn write_error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) {
    write::error(out, id, error);
}
