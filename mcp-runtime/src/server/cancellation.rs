//! Telling work that goes on behind a call that nobody waits for it any more.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::{BoxFuture, Context, FromContext};
use crate::ProtocolError;

/// Tells whether a call is still waited for.
///
/// The future of an async handler is dropped when its call is cancelled, so most handlers need no
/// token. One is for what goes on by itself: a blocking tool, or work that a handler has spawned. It
/// is set once the call is over: cancelled by the client, out of time, cut off with its connection,
/// or answered. Clones are of the same call.
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
    /// Whether nobody waits for the call any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::Acquire)
    }

    /// Waits until nobody waits for the call any more.
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

    fn cancel(&self) {
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

/// Sets the token of a call, if anyone has asked for it, when nobody waits any more.
#[derive(Debug)]
pub(super) struct CallGuard(Context);

impl CallGuard {
    pub(super) fn new(context: Context) -> Self {
        Self(context)
    }

    /// Watches over a handler that can't ask for the token any more.
    pub(super) fn watch<T: 'static>(self, handler: BoxFuture<T>) -> BoxFuture<T> {
        if self.0.cancellation_if_wanted().is_none() {
            return handler;
        }
        Box::pin(async move {
            let _guard = self;
            handler.await
        })
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        if let Some(token) = self.0.cancellation_if_wanted() {
            token.cancel();
        }
    }
}
