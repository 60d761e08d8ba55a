//! Results that functions make themselves, beside the output schema of their tool.

use mcp_types::{CallToolResult, RawJson};

use crate::ProtocolError;
use crate::error::RequestError;
#[cfg(feature = "validation")]
use crate::output_schema::check;

/// Logs a result of `tool` that does not fit its output schema, and makes an error of it in debug builds.
/// Only they validate the content; it is always noticed that there is none.
pub(crate) fn check_output(
    tool: &str,
    schema: &RawJson,
    result: CallToolResult,
) -> Result<CallToolResult, ProtocolError> {
    if result.structured_content.is_none() && result.is_error != Some(true) {
        crate::log::error!(
            tool,
            "a result has no structured content, but its tool has an output schema: add it by \
             `with_structured_content`, or remove `output`"
        );
    } else if cfg!(debug_assertions)
        && let Err(reason) = check(schema, &result)
    {
        crate::log::error!(tool, reason, "a result does not fit the output schema");
    } else {
        return Ok(result);
    }
    if cfg!(debug_assertions) {
        Err(RequestError::InvalidResult.to_error())
    } else {
        Ok(result)
    }
}

#[cfg(not(feature = "validation"))]
fn check(_: &RawJson, _: &CallToolResult) -> Result<(), String> {
    Ok(())
}
