//! Servers: their builder and catalogue, and the way of a request to its handler.
//!
//! `#[mcp_server]` implements [`McpServer`], which registers functions with a [`ServerBuilder`].
//! The [`Server`] that it builds is shared by all connections. `dispatch` is where a request meets
//! its handler.

mod answer;
pub(crate) mod builder;
mod called;
mod cancellation;
pub(crate) mod catalog;
mod changes;
pub mod completions;
pub(crate) mod context;
mod detached;
mod detached_request;
mod dispatch;
mod extensions;
pub(crate) mod handler;
#[cfg(not(feature = "http-server"))]
mod identity;
pub mod input;
#[cfg(feature = "layer")]
pub(crate) mod layers;
#[cfg(not(feature = "layer"))]
#[path = "no_layers.rs"]
pub(crate) mod layers;
mod logging;
mod metadata;
mod progress;
#[cfg(feature = "stream")]
mod progress_stream;
pub mod prompts;
#[cfg(feature = "client")]
mod proxy;
mod reporter;
mod request;
pub mod resources;
mod router;
mod scopes;
pub(crate) mod serve;
#[allow(
    clippy::module_inception,
    reason = "the type's name is the user's word"
)]
mod server;
mod session;
mod setters;
mod settings;
mod subscription;
pub mod tools;
mod trace;
mod warnings;

pub use crate::connection::BoxFuture;
pub use crate::protocol::Change;
pub(crate) use answer::Answer;
pub use answer::Reply;
pub use builder::ServerBuilder;
pub use cancellation::CancellationToken;
pub use catalog::{Edit, FixedListError, IntoPrompt, IntoResource, IntoTool, List};
pub(crate) use context::IncomingRequest;
pub use context::{Borrowed, Context, FromContext, OptionalFromContext};
pub use detached::{Detachable, Detached, DetachedCall};
pub use detached_request::DetachedRequest;
#[cfg(feature = "http-server")]
pub(crate) use dispatch::ServerRole;
pub use extensions::{Extension, ExtensionNotification, Listening, MethodCall};
pub use handler::HandlerError;
#[cfg(feature = "layer")]
pub use layers::ToolExtension;
pub use logging::Logger;
#[cfg(feature = "log-layer")]
pub use logging::client_logs;
pub use metadata::{IntoIcon, IntoMeta};
pub use progress::{Amount, Progress, ProgressItems, Total};
#[cfg(feature = "stream")]
pub use progress_stream::ProgressStream;
#[cfg(feature = "client")]
pub use proxy::Proxy;
pub(crate) use serve::Running;
#[cfg(feature = "http-server")]
pub(crate) use serve::Started;
pub use serve::{
    Connected, Endpoint, Guard, Initialized, IntoHookResult, IntoStartResult, McpServer, Serve,
    ShutdownHandle,
};
pub use server::Server;
pub(crate) use session::Session;
