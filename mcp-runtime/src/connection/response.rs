//! Responses, whatever the handler came to.

use std::borrow::Cow;
use std::convert::Infallible;

use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, RequestId, code};

use super::Outgoing;
use super::panic::contain;
use crate::transport::Outbox;

/// Appends the response to the request `id`. A result that can't be written becomes an error.
pub(crate) fn write_response<A: Outgoing>(
    out: &mut Vec<u8>,
    id: &RequestId,
    outcome: &Result<A, ErrorObject>,
) {
    if let Some(error) = failure(outcome, |answer| answer.write(out, id)) {
        write_error(out, ErrorId::Of(id), &error);
    }
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
            let error = ErrorObject::new(code::INTERNAL_ERROR, "Internal error");
            Some(Cow::Owned(error))
        }
        Err(panic) => Some(Cow::Owned(panic)),
    }
}

/// Appends the answer to a message that is refused.
pub(crate) fn write_error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) {
    write::error(out, id, error);
}
