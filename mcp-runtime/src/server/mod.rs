//! Servers: their builder and catalogue, and the way of a request to its handler.
//!
//! `#[mcp_server]` implements [`McpServer`], which registers functions with a [`ServerBuilder`]. The
//! [`Server`] that it builds is shared by all connections. `dispatch` is where a request meets its
//! handler.

mod answer;
pub(crate) mod builder;
mod cancellation;
pub(crate) mod catalog;
mod changes;
pub mod completions;
mod context;
mod dispatch;
mod extensions;
mod handle;
pub(crate) mod handler;
mod hooks;
#[cfg(not(feature = "http-server"))]
mod identity;
pub mod input;
#[cfg(any(
    feature = "socket",
    all(feature = "http-server", feature = "websocket")
))]
pub(crate) mod listen;
mod logging;
mod metadata;
mod notify;
mod progress;
pub mod prompts;
#[cfg(feature = "client")]
mod proxy;
pub mod resources;
mod router;
pub(crate) mod running;
mod serve;
mod session;
mod settings;
mod signal;
mod state;
pub mod tools;
mod trace;

pub use crate::connection::BoxFuture;
pub(crate) use answer::Answer;
pub use answer::Reply;
pub use builder::ServerBuilder;
pub use cancellation::CancellationToken;
pub use catalog::{Edit, FixedList, List, OfferedPrompt, OfferedResource, OfferedTool};
pub use changes::Change;
pub use context::{Borrowed, Context, FromContext};
pub(crate) use dispatch::IncomingRequest;
pub use extensions::MethodCall;
pub use handle::{McpServer, Server};
pub use handler::HandlerError;
pub use hooks::{Initialized, IntoHookResult};
pub use logging::Logger;
#[cfg(feature = "log-layer")]
pub use logging::client_logs;
pub use metadata::{IntoIcon, IntoMeta};
#[cfg(feature = "stream")]
pub use progress::ProgressStream;
pub use progress::{Amount, Progress, ProgressItems, Total};
#[cfg(feature = "client")]
pub use proxy::Proxy;
#[cfg(feature = "http-server")]
pub(crate) use running::ServerRole;
pub use serve::{Connected, Endpoint, Serve, ShutdownHandle};
pub(crate) use session::Session;
