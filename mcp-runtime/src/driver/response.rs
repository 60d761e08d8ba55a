//! Responses, whatever the handler came to.

use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, RequestId, code};

use super::Outgoing;
use super::panic::contain;

/// Appends the response to the request `id`. A result that can't be written becomes an error.
pub(crate) fn write_response<A: Outgoing>(
    out: &mut Vec<u8>,
    id: &RequestId,
    outcome: &Result<A, ErrorObject>,
) {
    let error = match outcome {
        Ok(answer) => match contain(|| answer.write(out, id)) {
            Ok(Ok(())) => return,
            Ok(Err(fault)) => {
                tracing::error!(%fault, "a result can't be serialised");
                &ErrorObject::new(code::INTERNAL_ERROR, "Internal error")
            }
            Err(panic) => &panic.clone(),
        },
        Err(error) => error,
    };
    write_error(out, ErrorId::Of(id), error);
}

/// Appends the answer to a message that is refused.
pub(crate) fn write_error(out: &mut Vec<u8>, id: ErrorId<'_>, error: &ErrorObject) {
    let written = write::error(out, id, error);
    debug_assert!(written.is_ok(), "an error object can be written");
}
