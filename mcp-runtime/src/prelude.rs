//! Names for files of servers, in one line.
//!
//! ```
//! use mcp_runtime::prelude::*;
//! ```
//!
//! The derive macros of serde and schemars write paths into those crates. Add both to the
//! dependencies of the package, or name the ones of this crate:
//!
//! ```
//! use mcp_runtime::prelude::*;
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! #[serde(crate = "mcp_runtime::serde")]
//! #[schemars(crate = "mcp_runtime::schemars")]
//! struct Book {
//!     title: String,
//! }
//! ```

#[cfg(feature = "http-server")]
pub use crate::transport::http::http;
#[cfg(feature = "stdio")]
pub use crate::transport::stdio;
#[cfg(feature = "macros")]
pub use crate::{
    Elicit, mcp_server, on_initialized, on_shutdown, on_start, prompt, resource, tool,
};

pub use crate::{
    AskError, Audio, CancellationToken, CompletionRequest, Context, Elicited, FromContext, Image,
    Initialized, Json, McpServer, NotFound, Progress, ProtocolError, ServeError, Structured,
    ToolError,
};
pub use mcp_types::{CallToolResult, ContentBlock, PromptMessage, Resource, Role};
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
