//! The names that most servers need, to import in one line.
//!
//! ```
//! use mcp_runtime::prelude::*;
//! ```
//!
//! The derive macros of serde need the crate `serde`. If the compiler reports "can't find crate for
//! `serde`", add the dependency (`cargo add serde`), or use the crate that this crate re-exports.
//! For schemars, this happens automatically:
//!
//! ```
//! use mcp_runtime::prelude::*;
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! #[serde(crate = "mcp_runtime::serde")]
//! struct Book {
//!     title: String,
//! }
//! ```

#[cfg(feature = "http-server")]
pub use crate::transport::http::{Principal, http};
#[cfg(not(feature = "http-server"))]
pub use crate::transport::no_http::http;
#[cfg(feature = "stdio")]
pub use crate::transport::stdio;
#[cfg(feature = "macros")]
pub use crate::{
    Elicit, mcp_server, on_initialized, on_shutdown, on_start, prompt, resource, tool,
};

pub use crate::Change;
pub use crate::{
    AskError, Audio, CancellationToken, CompletionRequest, Context, Elicited, FromContext, Image,
    Initialized, Json, McpServer, NotFound, Progress, ProtocolError, ServeError, Structured,
    ToolError,
};
#[cfg(feature = "http-server")]
pub use ::http;
pub use mcp_types::{
    CallToolResult, ContentBlock, EmbeddedResource, PromptMessage, Resource, ResourceLink, Role,
};
pub use schemars::{self, JsonSchema};
pub use serde::{Deserialize, Serialize};
