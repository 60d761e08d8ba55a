//! Tools of another server, which calls are passed on to.

use mcp_types::{CallToolResult, Tool};
use serde_json::Value;

use super::{ToolCall, ToolRoute, structured};
use crate::server::Reply;

impl ToolRoute {
    /// A tool as another server lists it. Where structured content may be no object by its schema,
    /// callers whose revision wants one get it wrapped.
    pub(in crate::server) fn forwarding(
        mut tool: Tool,
        forward: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
    ) -> Self {
        let schema = tool.output_schema.as_ref();
        let schema = schema.and_then(|schema| schema.parse::<Value>().ok());
        let Some(schema) = schema else {
            return Self::serving(tool, Box::new(forward));
        };
        if let Some(object) = structured::object_schema(&schema) {
            tool.output_schema = Some(object.into());
            return Self::serving(tool, Box::new(forward));
        }
        let wrapping = move |call: ToolCall<'_>| {
            structured::wrap_reply(forward(call), call.context.revision())
        };
        let mut route = Self::serving(tool, Box::new(wrapping));
        route.wrapped_schema = Some(structured::wrapped_schema(schema).into());
        route
    }
}
