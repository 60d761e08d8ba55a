//! Cancellation of work that may outlive its call.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::{Context, FromContext};
use crate::ProtocolError;

/// A token that is cancelled when its call is over.
///
/// The future of an async handler is dropped when its call is cancelled, so most handlers need no
/// token. It is for blocking tools, and for work that a handler has spawned. A call is over when it
/// was answered, cancelled by the client, out of time, or its connection has ended. Clones belong to
/// the same call.
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
#[derive(Clone, Default)]
pub struct CancellationToken {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    waiting: Notify,
}

impl CancellationToken {
    /// Whether the call is over.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire)
    }

    /// Waits until the call is over.
    ///
    /// Cancel safe: a future that is dropped loses nothing.
    pub async fn cancelled(&self) {
        let mut notified = std::pin::pin!(self.shared.waiting.notified());
        // Registered before the flag is read, so that no change falls in between.
        notified.as_mut().enable();
        if !self.is_cancelled() {
            notified.await;
        }
    }

    pub(super) fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Release);
        self.shared.waiting.notify_waiters();
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancellationToken")
            .field(&self.is_cancelled())
            .finish()
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for CancellationToken {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.cancellation().clone())
    }
}
