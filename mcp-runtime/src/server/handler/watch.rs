//! The time for which functions hold their thread. Only debug builds measure it.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::run::Rejection;
use crate::limits::LONG_HOLD;
use crate::server::{BoxFuture, Reply};

/// Watches one function; logs the first time that it holds its thread for long.
#[derive(Debug, Default)]
pub(in crate::server) struct Watch {
    is_logged: AtomicBool,
}

impl Watch {
    /// Runs a function called `name`, which holds its thread if it replies at once.
    pub(in crate::server) fn reply<T>(
        &self,
        name: &str,
        function: impl FnOnce() -> Result<Reply<T>, Rejection>,
    ) -> Result<Reply<T>, Rejection> {
        if !cfg!(debug_assertions) {
            return function();
        }
        let start = Instant::now();
        let reply = function();
        if matches!(reply, Ok(Reply::Ready(_))) {
            self.check(name, start.elapsed());
        }
        reply
    }

    /// The future of a function called `name`, which holds its thread if it never waits.
    pub(in crate::server) fn future<T: 'static>(
        self: Arc<Self>,
        name: String,
        mut future: BoxFuture<T>,
    ) -> BoxFuture<T> {
        if !cfg!(debug_assertions) {
            return future;
        }
        let mut has_waited = false;
        Box::pin(poll_fn(move |cx| {
            let start = Instant::now();
            let polled = future.as_mut().poll(cx);
            if polled.is_ready() && !has_waited {
                self.check(&name, start.elapsed());
            }
            has_waited = true;
            polled
        }))
    }

    fn check(&self, function: &str, held: Duration) {
        if held > LONG_HOLD && !self.is_logged.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                function,
                ?held,
                "a function held its thread, which served nothing else: mark it `blocking`, or \
                 `await` in it what takes long"
            );
        }
    }
}
