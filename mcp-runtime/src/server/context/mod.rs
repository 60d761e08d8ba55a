//! The [`Context`] of a call: what a handler knows about the call, and how it talks to the client.
//!
//! `core` holds the data of the request, `questions` the methods that ask the client, and
//! `notifications` the methods that send something without waiting for an answer.

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
mod resource_view;

use tokio::sync::watch;

pub use self::core::Context;
pub(in crate::server) use self::core::EndOfCall;
pub(crate) use self::core::IncomingRequest;
pub use self::identity::Principal;
#[cfg(feature = "log-layer")]
pub(in crate::server) use client_logs::attach;
#[cfg(feature = "log-layer")]
#[expect(deprecated, reason = "still part of the protocol")]
pub use client_logs::client_logs;
pub use detachable_link::DetachedCall;
pub(in crate::server) use detached::call_detached;
pub use detached::{Detachable, Detached, DetachedRequest};
pub use from_context::{ContextValue, FromContext, OptionalFromContext, identity, no_identity};
pub use notifications::Logger;
#[cfg(feature = "stream")]
pub use progress::ProgressStream;
pub use progress::{Progress, ProgressAmount, ProgressItems, ProgressTotal};
pub use resource_view::ResourceView;

/// Does nothing, because only the layer needs the context of a span.
#[cfg(not(feature = "log-layer"))]
pub(in crate::server) fn attach(_: &Context) {}

/// A token that is cancelled when its call is over.
///
/// A call is over when it has been answered, the client has cancelled it, its time limit has
/// passed, or its connection has ended. Use the token in blocking tools, and in tasks that a
/// handler spawns. Other async handlers do not need it: their future is dropped when the call is
/// cancelled. Clones belong to the same call.
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
    /// This method is cancel safe.
    pub async fn cancelled(&self) {
        // Never fails: `self` is a sender.
        let _ = self.0.subscribe().wait_for(|cancelled| *cancelled).await;
    }

    pub(in crate::server) fn cancel(&self) {
        self.0.send_replace(true);
    }
}
