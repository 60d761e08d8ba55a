//! Responses of the peer, on their way to the requests that they name.

use mcp_types::jsonrpc::{ErrorObject, RequestId};
use mcp_types::{RawJson, RawJsonRef};

use super::Waiter;

/// The outcome in a response, or the fault that makes the response unusable.
pub(crate) type Answer<'a> = Result<Result<RawJsonRef<'a>, ErrorObject>, String>;

/// Passes a response on to the request that it names, which `remove` takes from the table of
/// pending requests. A malformed response fails that request; one for which nobody waits is ignored.
pub(crate) fn answered(
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
        (Some(waiter), Ok(outcome)) => waiter.settle(outcome.map(RawJson::from)),
        (Some(waiter), Err(reason)) => waiter.malformed(reason),
        (None, Ok(_)) => tracing::debug!(?id, "a response that nobody waits for was ignored"),
        (None, Err(reason)) => tracing::debug!(?id, reason, "a malformed response was ignored"),
    }
}
