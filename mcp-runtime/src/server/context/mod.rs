//! [`Context`]: what a handler knows of its call, and how it reaches the client meanwhile.
//!
//! `core` has what belongs to the request, `questions` what a handler asks, and `notifications` what
//! it sends without waiting for an answer.

#[cfg(feature = "log-layer")]
mod client_logs;
mod core;
mod detachable_link;
mod detached;
mod from_context;
mod identity;
mod notifications;
mod progress;
mod questions;
mod reporter;

use tokio::sync::watch;

pub use self::core::Context;
pub(in crate::server) use self::core::EndOfCall;
pub(crate) use self::core::IncomingRequest;
pub use self::identity::Principal;
#[cfg(feature = "log-layer")]
pub(in crate::server) use client_logs::attach;
#[cfg(feature = "log-layer")]
pub use client_logs::client_logs;
pub use detachable_link::DetachedCall;
pub(in crate::server) use detached::call_detached;
pub use detached::{Detachable, Detached, DetachedRequest};
pub use from_context::{ContextValue, FromContext, OptionalFromContext, identity, no_identity};
pub use notifications::Logger;
#[cfg(feature = "stream")]
pub use progress::ProgressStream;
pub use progress::{Progress, ProgressAmount, ProgressItems, ProgressTotal};

/// Without the layer, requests are not attached to their spans.
#[cfg(not(feature = "log-layer"))]
pub(in crate::server) fn attach(_: &Context) {}

/// A token that is cancelled when its call is over.
///
/// The future of an async handler is dropped when its call is cancelled, so most handlers need no
/// token. It is for blocking tools, and for work that a handler has spawned. A call is over when it
/// was answered, cancelled by the client, out of time, or its connection has ended. Clones belong
/// to the same call.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::server::CancellationToken;
///
/// struct Primes;
///
/// #[mcp_server]
/// impl Primes {
///     /// Counts the primes below a number.
///     #[tool(blocking)]
///     fn count(&self, below: u64, token: &CancellationToken) -> u64 {
///         let prime = |n: &u64| (2..*n).all(|d| n % d != 0);
///         (2..below).take_while(|_| !token.is_cancelled()).filter(prime).count() as u64
///     }
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(watch::Sender<bool>);

impl CancellationToken {
    /// Returns true if the call is over.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the call is over.
    ///
    /// Cancel safe: a future that is dropped loses nothing.
    pub async fn cancelled(&self) {
        // Never fails: `self` is a sender.
        let _ = self.0.subscribe().wait_for(|cancelled| *cancelled).await;
    }

    pub(in crate::server) fn cancel(&self) {
        self.0.send_replace(true);
    }
}
