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
    /// Runs a function called `name`: at once, or in the future that it replies with.
    pub(in crate::server) fn reply<T: 'static>(
        self: &Arc<Self>,
        name: &str,
        function: impl FnOnce() -> Result<Reply<T>, Rejection>,
    ) -> Result<Reply<T>, Rejection> {
        if !cfg!(debug_assertions) {
            return function();
        }
        let start = Instant::now();
        let reply = function();
        self.check(name, start.elapsed());
        match reply {
            Ok(Reply::Pending(future)) => {
                let watch = Arc::clone(self);
                Ok(Reply::Pending(watch.future(name.to_owned(), future)))
            }
            reply => reply,
        }
    }

    /// The future of a function called `name`, which holds its thread from one wait to the next.
    pub(in crate::server) fn future<T: 'static>(
        self: Arc<Self>,
        name: String,
        mut future: BoxFuture<T>,
    ) -> BoxFuture<T> {
        if !cfg!(debug_assertions) {
            return future;
        }
        Box::pin(poll_fn(move |cx| {
            let start = Instant::now();
            let polled = future.as_mut().poll(cx);
            self.check(&name, start.elapsed());
            polled
        }))
    }

    fn check(&self, function: &str, held: Duration) {
        if held > LONG_HOLD && !self.is_logged.swap(true, Ordering::Relaxed) {
            crate::log::warn!(
                function,
                ?held,
                "a function held its thread, which served nothing else: mark it `blocking`, or \
                 `await` in it what takes long"
            );
        }
    }
}
