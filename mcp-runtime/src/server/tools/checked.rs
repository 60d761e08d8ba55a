//! Validation of results against the output schema of their tool, in debug builds.

use std::sync::Arc;

use mcp_types::{CallToolResult, RawJson, Tool};

use super::ToolCall;
use super::route::Handler;
use crate::ProtocolError;
use crate::error::RequestError;
use crate::server::Reply;
use crate::structure::check;

/// The handler of `tool`, which fails when a result does not fit the output schema.
pub(super) fn checked(
    tool: &Tool,
    handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
) -> Box<Handler> {
    let Some(schema) = tool.output_schema.clone() else {
        return Box::new(handler);
    };
    let declared = Arc::new((tool.name.clone(), schema));
    Box::new(move |call| {
        let declared = Arc::clone(&declared);
        handler(call).then(move |result| validated(&declared, result))
    })
}

fn validated(
    (tool, schema): &(String, RawJson),
    result: CallToolResult,
) -> Result<CallToolResult, ProtocolError> {
    match check(schema, &result) {
        Ok(()) => Ok(result),
        Err(reason) => {
            tracing::error!(tool, reason, "a result does not fit the output schema");
            Err(RequestError::InvalidResult.to_error())
        }
    }
}
