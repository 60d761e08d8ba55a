//! Results that were put together by hand, held against the schema that goes with them.

use std::sync::Arc;

use mcp_types::jsonrpc::code;
use mcp_types::{CallToolResult, RawJson, Tool};

use super::ToolCall;
use super::route::Handler;
use crate::ProtocolError;
use crate::server::Reply;
use crate::structure::check;

/// The handler of `tool`, which fails where it breaks what the tool promises.
pub(super) fn checked(
    tool: &Tool,
    handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
) -> Box<Handler> {
    let Some(schema) = tool.output_schema.clone() else {
        return Box::new(handler);
    };
    let promise = Arc::new((tool.name.clone(), schema));
    Box::new(move |call| {
        let promise = Arc::clone(&promise);
        handler(call).then(move |result| kept(&promise, result))
    })
}

fn kept(
    (tool, schema): &(String, RawJson),
    result: CallToolResult,
) -> Result<CallToolResult, ProtocolError> {
    match check(schema, &result) {
        Ok(()) => Ok(result),
        Err(reason) => {
            tracing::error!(tool, reason, "a result does not fit the output schema");
            let message = "The result does not fit the output schema of the tool";
            Err(ProtocolError::new(code::INTERNAL_ERROR, message))
        }
    }
}
