//! Tools of another server, which calls are passed on to.

use std::sync::OnceLock;

use mcp_types::{CallToolResult, RawJson, Tool};
use serde_json::Value;

use super::{ToolCall, ToolRoute, structured};
use crate::protocol::ParamHeader;
use crate::server::Reply;

impl ToolRoute {
    /// A tool as another server lists it. Where structured content may be no object by its schema,
    /// callers whose revision wants one get it wrapped.
    ///
    /// # Errors
    ///
    /// When a schema can't be read that says what calls and answers have to be like: the output
    /// schema, or an input schema with headers.
    pub(in crate::server) fn forwarding(
        mut tool: Tool,
        forward: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
    ) -> serde_json::Result<Self> {
        let headers = ParamHeader::of_schema(&tool.input_schema)?;
        let schema = tool.output_schema.as_ref();
        let schema = schema.map(RawJson::parse::<Value>).transpose()?;
        let object = schema.as_ref().map(structured::object_schema);
        let wrapped = match (schema, &object) {
            (Some(schema), Some(None)) => Some(structured::wrapped_schema(schema).into()),
            _ => {
                tool.output_schema = object.flatten().map(Into::into);
                None
            }
        };
        let mut route = Self::serving(tool, Box::new(forward));
        route.wrapped_schema = wrapped;
        route.param_headers = OnceLock::from(headers);
        Ok(route)
    }
}
