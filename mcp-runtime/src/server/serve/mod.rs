//! Serving: endpoints, hooks, listeners, signals and shutdown.

mod hook_setters;
pub(crate) mod hooks;
#[cfg(any(feature = "http-server", feature = "socket"))]
pub(crate) mod listen;
pub(crate) mod serving;
mod signals;

pub use hooks::{Initialized, IntoHookResult};
pub(crate) use serving::Running;
#[cfg(feature = "http-server")]
pub(crate) use serving::Started;
pub use serving::{Connected, Endpoint, McpServer, Serve, ShutdownHandle};
