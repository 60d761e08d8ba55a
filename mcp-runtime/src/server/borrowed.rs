//! What a handler takes by reference, while the call lasts.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A value that a handler takes by reference: made for the call, or shared with whatever holds it.
///
/// What [`FromContext::lend`](crate::FromContext::lend) gives.
pub struct Borrowed<T>(Held<T>);

enum Held<T> {
    Made(T),
    Shared(Arc<dyn AsRef<T> + Send + Sync>),
}

impl<T> Borrowed<T> {
    /// A value that was made for the call.
    #[must_use]
    pub fn made(value: T) -> Self {
        Self(Held::Made(value))
    }

    /// A value that `holder` has.
    #[must_use]
    pub fn shared(holder: Arc<dyn AsRef<T> + Send + Sync>) -> Self {
        Self(Held::Shared(holder))
    }
}

impl<T> Deref for Borrowed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Held::Made(value) => value,
            Held::Shared(holder) => (**holder).as_ref(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Borrowed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
