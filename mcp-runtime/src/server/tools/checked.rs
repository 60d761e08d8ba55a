//! Validation of results against the output schema of their tool, in debug builds.

use mcp_types::{CallToolResult, Tool};

use super::ToolCall;
use super::route::Handler;
use crate::error::RequestError;
use crate::output_schema::check;
use crate::server::Reply;

/// The handler of `tool`, which fails when a result does not fit the output schema.
pub(super) fn checked(
    tool: &Tool,
    handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
) -> Box<Handler> {
    let Some(schema) = tool.output_schema.clone() else {
        return Box::new(handler);
    };
    let tool = tool.name.clone();
    Box::new(move |call| {
        let (tool, schema) = (tool.clone(), schema.clone());
        handler(call).then(move |result| match check(&schema, &result) {
            Ok(()) => Ok(result),
            Err(reason) => {
                tracing::error!(tool, reason, "a result does not fit the output schema");
                Err(RequestError::InvalidResult.to_error())
            }
        })
    })
}
