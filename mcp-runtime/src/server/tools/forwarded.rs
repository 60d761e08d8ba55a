//! Tools of another server, which calls are passed on to.

use std::sync::OnceLock;

use mcp_types::{CallToolResult, Tool};

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
        let mut wrapped_schema = None;
        if let Some(schema) = &mut tool.output_schema {
            (*schema, wrapped_schema) = structured::listed_schemas(schema.parse()?);
        }
        let mut route = Self::serving(tool, Box::new(forward));
        route.wrapped_schema = wrapped_schema;
        route.param_headers = OnceLock::from(headers);
        Ok(route)
    }
}
