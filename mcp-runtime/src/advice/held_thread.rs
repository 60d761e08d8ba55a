//! Functions that hold their thread for long, so that it serves nothing else. Debug builds log them.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Instant;

use crate::connection::BoxFuture;
use crate::limits::LONG_HOLD;
use crate::log::Once;

/// Measures one function, and logs the first time that it holds its thread for long.
#[derive(Debug, Default)]
pub(crate) struct HeldThread(Once);

impl HeldThread {
    /// Measures `step` of the function called `name`: the function itself, or one poll of its future.
    pub(crate) fn step<T>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        if !cfg!(debug_assertions) {
            return step();
        }
        let start = Instant::now();
        let output = step();
        let held = start.elapsed();
        if held > LONG_HOLD && self.0.is_first() {
            crate::log::warn!(
                function = name,
                ?held,
                "a function held its thread, which served nothing else: mark it `blocking`, or \
                 `await` in it what takes long"
            );
        }
        output
    }

    /// Measures each poll of the future of the function called `name`.
    pub(crate) fn future<T: 'static>(
        self: &Arc<Self>,
        name: &str,
        mut future: BoxFuture<T>,
    ) -> BoxFuture<T> {
        if !cfg!(debug_assertions) {
            return future;
        }
        let held = Arc::clone(self);
        let name = name.to_owned();
        Box::pin(poll_fn(move |cx| {
            held.step(&name, || future.as_mut().poll(cx))
        }))
    }
}
