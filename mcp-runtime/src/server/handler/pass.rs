//! A value, or a future of one: the caller awaits both.

use std::future::{Future, Ready, ready};

/// What a function returned that may be async or not.
pub struct Pass<T>(pub T);

impl<F: Future> Pass<F> {
    /// The future itself.
    pub fn later(self) -> F {
        self.0
    }
}

/// What every value has that is no future.
pub trait Now<T> {
    /// The value, as a future that is ready.
    fn later(self) -> Ready<T>;
}

impl<T> Now<T> for Pass<T> {
    fn later(self) -> Ready<T> {
        ready(self.0)
    }
}
