//! One tool: what is listed, and what is called.

use std::fmt;

use mcp_types::{CallToolResult, Tool};
use serde_json::value::RawValue;

use crate::server::{Context, Reply};

/// A tool that a server offers.
pub struct ToolRoute {
    pub(super) tool: Tool,
    pub(super) handler: Box<Handler>,
}

type Handler = dyn Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync;

/// One call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The arguments, as they came: an object, or absent.
    pub arguments: Option<&'a RawValue>,
    /// Who calls, and under which terms.
    pub context: &'a Context,
}

impl ToolRoute {
    /// A tool that is listed as `tool` and served by `handler`.
    pub fn new(
        tool: Tool,
        handler: impl Fn(ToolCall<'_>) -> Reply<CallToolResult> + Send + Sync + 'static,
    ) -> Self {
        Self {
            tool,
            handler: Box::new(handler),
        }
    }
}

impl fmt::Debug for ToolRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolRoute").field(&self.tool.name).finish()
    }
}
