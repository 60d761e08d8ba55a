//! Which methods may be called, by the generated table.

use mcp_types::{MethodInfo, Revision, Side};

use crate::error::RequestError;

/// What is known about a request that `sender` sends.
///
/// # Errors
///
/// When no revision has such a request in this direction.
pub(super) fn request(method: &str, sender: Side) -> Result<&'static MethodInfo, RequestError> {
    Revision::method(method)
        .filter(|info| info.is_request && !sent_by(info, sender).is_empty())
        .ok_or_else(|| RequestError::UnknownMethod(method.to_owned()))
}

/// Checks that `revision` has the request.
pub(super) fn in_revision(
    info: &'static MethodInfo,
    sender: Side,
    revision: Revision,
) -> Result<(), RequestError> {
    if info.is_sent_by(sender, revision) {
        return Ok(());
    }
    Err(RequestError::NotInRevision {
        method: info.name,
        revision,
    })
}

/// The refusal of a method that nothing serves here, because its capability was not declared.
pub(crate) fn not_offered(method: &str, side: Side, revision: Revision) -> RequestError {
    let info = Revision::method(method);
    match info.and_then(|info| Some((info.name, info.capability(side, revision)?))) {
        Some((method, capability)) => RequestError::NotOffered { method, capability },
        None => RequestError::UnknownMethod(method.to_owned()),
    }
}

fn sent_by(info: &MethodInfo, sender: Side) -> mcp_types::Revisions {
    match sender {
        Side::Client => info.by_client,
        Side::Server => info.by_server,
    }
}
