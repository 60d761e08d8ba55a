//! A fast, small and faithful runtime for the Model Context Protocol.
//!
//! Annotate functions, and get a server that speaks all five revisions of the protocol:
//!
//! ```no_run
//! use mcp_runtime::prelude::*;
//!
//! struct Calculator;
//!
//! #[mcp_server]
//! impl Calculator {
//!     /// Adds two whole numbers.
//!     #[tool]
//!     fn add(&self, a: i64, b: i64) -> i64 {
//!         a + b
//!     }
//! }
//!
//! #[mcp_runtime::main]
//! async fn main() -> Result<(), ServeError> {
//!     Calculator.serve(stdio()).await
//! }
//! ```

#[cfg(feature = "server")]
#[doc(hidden)]
pub mod __private;
#[cfg(feature = "client")]
pub mod client;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "both sides share it, and clients do not use all of it"
    )
)]
mod driver;
mod error;
#[cfg(feature = "server")]
pub mod prelude;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "both sides share it, and clients do not use all of it"
    )
)]
mod protocol;
#[cfg(feature = "server")]
mod schema;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(any(feature = "client", feature = "server"))]
mod together;
#[cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "both sides share it, and clients do not use all of it"
    )
)]
mod trace_context;
pub mod transport;

#[cfg(feature = "client")]
pub use client::{Call, Client, ClientBuilder, ConnectError, Status};
pub use driver::Peer;
pub use error::{CallError, ProtocolError, ServeError};
#[cfg(feature = "macros")]
pub use mcp_macros::main;
#[cfg(feature = "macros")]
#[doc = include_str!("docs/mcp_server.md")]
pub use mcp_macros::mcp_server;
#[cfg(feature = "macros")]
#[doc = include_str!("docs/prompt.md")]
pub use mcp_macros::prompt;
#[cfg(feature = "macros")]
#[doc = include_str!("docs/resource.md")]
pub use mcp_macros::resource;
#[cfg(feature = "macros")]
#[doc = include_str!("docs/tool.md")]
pub use mcp_macros::tool;
#[cfg(feature = "macros")]
#[doc = include_str!("docs/hooks.md")]
pub use mcp_macros::{on_initialized, on_shutdown, on_start};
pub use mcp_types as types;
pub use mcp_types::{Era, Revision, Revisions};
#[cfg(feature = "client")]
pub use protocol::Agreement;
pub use protocol::{LifecycleState, Terms, Timeouts, Unavailable};
#[cfg(feature = "server")]
pub use server::ask::{self, AskError, Elicited};
#[cfg(feature = "server")]
pub use server::completions::{IntoCompletion, Typing};
#[cfg(feature = "server")]
pub use server::prompts::IntoPromptResult;
#[cfg(feature = "server")]
pub use server::resources::{self, NotFound};
#[cfg(feature = "server")]
pub use server::tools::{Audio, Image, IntoToolResult, Json, ToolError};
#[cfg(feature = "server")]
pub use server::{
    CancellationToken, Context, FromContext, Initialized, McpServer, Progress, Server,
    ServerBuilder,
};
pub use trace_context::TraceContext;
#[doc(no_inline)]
pub use {schemars, serde, serde_json};
