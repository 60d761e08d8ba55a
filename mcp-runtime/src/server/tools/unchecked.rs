//! Results without validation.

use mcp_types::{CallToolResult, Tool};

use super::ToolCall;
use super::route::Handler;
use crate::server::Reply;

pub(super) fn checked(
    _: &Tool,
    handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
) -> Box<Handler> {
    Box::new(handler)
}
