//! [`Context`]: what a handler knows of its call, and how it reaches the client meanwhile.
//!
//! `core` has what belongs to the request, `questions` what a handler asks, and `notifications` what
//! it sends without waiting for an answer.

mod cancellation;
#[cfg(feature = "log-layer")]
mod client_logs;
mod core;
mod detachable_link;
mod detached;
mod from_context;
mod identity;
mod notifications;
mod progress;
#[cfg(feature = "stream")]
mod progress_stream;
mod questions;
mod reporter;

pub use self::core::Context;
pub(in crate::server) use self::core::EndOfCall;
pub(crate) use self::core::IncomingRequest;
pub use self::identity::Principal;
pub use cancellation::CancellationToken;
#[cfg(feature = "log-layer")]
pub(in crate::server) use client_logs::attach;
#[cfg(feature = "log-layer")]
pub use client_logs::client_logs;
pub use detachable_link::DetachedCall;
pub(in crate::server) use detached::call_detached;
pub use detached::{Detachable, Detached, DetachedRequest};
pub use from_context::{Borrowed, FromContext, OptionalFromContext, identity, no_identity};
pub use notifications::Logger;
pub use progress::{Amount, Progress, ProgressItems, Total};
#[cfg(feature = "stream")]
pub use progress_stream::ProgressStream;

/// Without the layer, requests are not attached to their spans.
#[cfg(not(feature = "log-layer"))]
pub(in crate::server) fn attach(_: &Context) {}
