//! Validation of results against the output schema of their tool, in debug builds.

use mcp_types::{CallToolResult, RawJson};

use crate::error::RequestError;
use crate::output_schema::check;
use crate::server::Reply;

/// The reply of `tool`, which fails if its result does not fit the output schema.
pub(super) fn checked(
    tool: &str,
    schema: &RawJson,
    reply: Reply<CallToolResult>,
) -> Reply<CallToolResult> {
    if !cfg!(debug_assertions) {
        return reply;
    }
    let tool = tool.to_owned();
    let schema = schema.clone();
    reply.then(move |result| match check(&schema, &result) {
        Ok(()) => Ok(result),
        Err(reason) => {
            crate::log::error!(tool, reason, "a result does not fit the output schema");
            Err(RequestError::InvalidResult.to_error())
        }
    })
}
