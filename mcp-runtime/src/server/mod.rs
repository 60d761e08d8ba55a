//! Servers: building one, serving it, and dispatching requests to handlers.
//!
//! `#[mcp_server]` implements [`McpServer`], which registers functions with a [`ServerBuilder`]. The
//! builder creates a [`Server`], which all connections share. The module `dispatch` routes each
//! request to its handler.

mod builder;
pub(crate) mod catalog;
pub mod completions;
pub(crate) mod context;
mod dispatch;
mod extensions;
pub(crate) mod handler;
pub mod input;
pub(crate) mod layers;
pub mod prompts;
mod raw;
mod replicas;
pub mod resources;
mod scopes;
pub(crate) mod serve;
#[allow(
    clippy::module_inception,
    reason = "the module is named after the public type"
)]
mod server;
mod setters;
mod settings;
mod subscriptions;
pub mod tools;

use crate::connection::BoxFuture;
pub use builder::ServerBuilder;
pub use catalog::{Edit, FixedListError, IntoPrompt, IntoResource, IntoTool, List, mount_prefix};
pub(crate) use context::IncomingRequest;
#[cfg(feature = "stream")]
pub use context::ProgressStream;
#[cfg(feature = "log-layer")]
#[expect(deprecated, reason = "still part of the protocol")]
pub use context::client_logs;
pub use context::{
    CancellationToken, Context, ContextValue, Detachable, Detached, DetachedCall, DetachedRequest,
    FromContext, Logger, OptionalFromContext, Principal, Progress, ProgressItems, ResourceView,
};
#[doc(hidden)]
pub use context::{ProgressAmount, ProgressTotal};
pub use dispatch::Reply;
#[cfg(feature = "http-server")]
pub(crate) use dispatch::ServerRole;
pub(crate) use dispatch::{Answer, ServerRequest};
pub use extensions::{Extension, ExtensionNotification, ExtensionSubscription, MethodCall};
pub use handler::HandlerError;
pub use layers::ToolExtension;
pub(crate) use raw::{RawServer, RawSession};
use scopes::Scopes;
pub(crate) use serve::Running;
#[cfg(feature = "http-server")]
pub(crate) use serve::Started;
pub use serve::{
    Connected, Endpoint, Initialized, IntoHookResult, McpServer, Serve, ShutdownHandle,
};
pub use server::Server;
use server::ServerState;
pub use setters::{IntoIcon, IntoMeta};
use settings::Settings;
#[cfg(feature = "client")]
pub(crate) use settings::join_instructions;
pub(crate) use subscriptions::{ChangeQueue, Session, SessionEdit, StoredSession};
