//! The token by which work that may outlive its call learns that the call is over.

use tokio::sync::watch;

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
