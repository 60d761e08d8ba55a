//! Replies of tools, which may carry results of an extension.

use mcp_types::{CallToolResult, RawJson, RawJsonRef, ResultType};

use crate::ProtocolError;
use crate::server::{BoxFuture, Reply};

/// The reply of a tool.
#[expect(
    clippy::large_enum_variant,
    reason = "it is matched where it is returned; a box would be an allocation for each call"
)]
pub(in crate::server) enum ToolReply {
    /// That of a handler.
    Typed(Reply<CallToolResult>),
    /// One that may have another `resultType`: of a layer, or of a server behind a proxy.
    Open(BoxFuture<Result<ToolOutcome, ProtocolError>>),
}

/// The result of a tool.
#[expect(clippy::large_enum_variant, reason = "the large one is the usual one")]
pub(in crate::server) enum ToolOutcome {
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

impl ToolReply {
    /// Applies `change` to the result, if it is one of the protocol.
    pub(in crate::server) fn then(
        self,
        change: impl FnOnce(CallToolResult) -> CallToolResult + Send + 'static,
    ) -> Self {
        match self {
            Self::Typed(reply) => Self::Typed(reply.then(|result| Ok(change(result)))),
            Self::Open(future) => Self::Open(Box::pin(async move {
                Ok(match future.await? {
                    ToolOutcome::Complete(result) => ToolOutcome::Complete(change(result)),
                    other @ ToolOutcome::Other(_) => other,
                })
            })),
        }
    }
}

impl From<Reply<CallToolResult>> for ToolReply {
    fn from(reply: Reply<CallToolResult>) -> Self {
        Self::Typed(reply)
    }
}
