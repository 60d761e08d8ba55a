//! Results of tools, which may be those of an extension.

use mcp_types::{CallToolResult, RawJson, RawJsonRef, ResultType};

use crate::ProtocolError;
use crate::server::Reply;

/// The result of a tool.
#[expect(clippy::large_enum_variant, reason = "the large one is the usual one")]
#[derive(Debug)]
pub enum ToolOutcome {
    /// That of the protocol.
    Complete(CallToolResult),
    /// One with another `resultType`, of an extension: servers that pass it on leave it alone.
    Other(RawJson),
}

impl ToolOutcome {
    /// Reads a result.
    ///
    /// # Errors
    ///
    /// When it has no other `resultType`, and is no result of a tool.
    pub(in crate::server) fn read(result: RawJson) -> serde_json::Result<Self> {
        let kind = result.as_raw().member("resultType");
        match kind.map(RawJsonRef::parse::<ResultType>) {
            None | Some(Ok(ResultType::Complete)) => result.parse().map(Self::Complete),
            Some(_) => Ok(Self::Other(result)),
        }
    }
}

impl From<CallToolResult> for ToolOutcome {
    fn from(result: CallToolResult) -> Self {
        Self::Complete(result)
    }
}

impl Reply<ToolOutcome> {
    /// Applies `change` to a result of the protocol.
    pub(in crate::server) fn then_complete(
        self,
        change: impl FnOnce(CallToolResult) -> Result<CallToolResult, ProtocolError> + Send + 'static,
    ) -> Self {
        self.then(|outcome| match outcome {
            ToolOutcome::Complete(result) => change(result).map(ToolOutcome::Complete),
            other @ ToolOutcome::Other(_) => Ok(other),
        })
    }
}
