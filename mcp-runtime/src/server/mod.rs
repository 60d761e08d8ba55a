//! The server's side: what is offered, and how a call reaches the function that serves it.
//!
//! A type becomes a server by [`McpServer`], which `#[mcp_server]` implements; what it registers
//! with a [`ServerBuilder`] is kept in a [`Server`], built once and shared by all connections.

mod announce;
mod answer;
pub mod ask;
mod borrowed;
mod builder;
mod caching;
mod cancellation;
mod changes;
pub mod completions;
mod context;
mod cursor;
mod dispatch;
mod edit;
mod endpoint;
mod extensions;
mod extract;
mod handle;
pub(crate) mod handler;
mod hooks;
pub(crate) mod icon;
#[cfg(not(feature = "http-server"))]
mod identity;
mod introduction;
#[cfg(any(
    feature = "socket",
    all(feature = "http-server", feature = "websocket")
))]
pub(crate) mod listen;
mod lists;
mod live;
mod logging;
mod mcp_server;
mod meta_keys;
mod metadata;
mod mount;
mod names;
mod offered;
mod pages;
mod prepared;
mod progress;
pub mod prompts;
#[cfg(feature = "client")]
mod proxy;
mod reply;
pub mod resources;
pub(crate) mod revisions;
mod role;
mod router;
mod routes;
pub(crate) mod running;
mod serve;
mod session;
mod settings;
mod signal;
mod subscriptions;
mod task;
mod told;
pub mod tools;
mod trace;
mod visibility;
#[cfg(feature = "http-server")]
mod wishes;

pub use crate::connection::BoxFuture;
pub(crate) use answer::Answer;
pub use borrowed::Borrowed;
pub use builder::ServerBuilder;
pub use cancellation::CancellationToken;
pub use changes::Change;
pub use context::Context;
#[cfg(feature = "http-server")]
pub(crate) use dispatch::Call;
pub use edit::{Edit, FixedList};
pub use endpoint::{Connected, Endpoint};
pub use extensions::MethodCall;
pub use extract::FromContext;
pub use handle::Server;
pub use handler::HandlerError;
pub use hooks::{Initialized, IntoHookResult};
pub use icon::IntoIcon;
pub use lists::List;
pub use logging::Logger;
#[cfg(feature = "log-layer")]
pub use logging::client_logs;
pub use mcp_server::McpServer;
pub use metadata::IntoMeta;
pub use offered::{OfferedPrompt, OfferedResource, OfferedTool};
#[cfg(feature = "stream")]
pub use progress::ProgressStream;
pub use progress::{Amount, Progress, ProgressItems, Total};
#[cfg(feature = "client")]
pub use proxy::Proxy;
pub use reply::Reply;
pub use serve::{Serve, ShutdownHandle};
pub(crate) use session::Session;
