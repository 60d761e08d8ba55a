//! [`Context`]: what a handler knows of its call, and how it reaches the client meanwhile.

mod called;
mod cancellation;
#[cfg(feature = "log-layer")]
mod client_logs;
mod core;
mod detached;
mod detached_request;
mod logging;
mod progress;
#[cfg(feature = "stream")]
mod progress_stream;
mod reporter;

pub(in crate::server) use self::core::EndOfCall;
pub(crate) use self::core::IncomingRequest;
pub use self::core::{Borrowed, Context, FromContext, OptionalFromContext, identity, no_identity};
pub use cancellation::CancellationToken;
#[cfg(feature = "log-layer")]
pub(in crate::server) use client_logs::attach;
#[cfg(feature = "log-layer")]
pub use client_logs::client_logs;
pub use detached::{Detachable, Detached, DetachedCall};
pub use detached_request::DetachedRequest;
pub use logging::Logger;
pub use progress::{Amount, Progress, ProgressItems, Total};
#[cfg(feature = "stream")]
pub use progress_stream::ProgressStream;

/// Without the layer, requests are not attached to their spans.
#[cfg(not(feature = "log-layer"))]
pub(in crate::server) fn attach(_: &Context) {}
