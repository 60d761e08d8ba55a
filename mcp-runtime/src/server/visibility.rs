//! What each caller gets to see.

use std::fmt;
use std::sync::Arc;

use super::Context;

/// Whether a caller may see an item.
type Shows<T> = dyn Fn(&T, &Context) -> bool + Send + Sync;

/// Which items of one kind each caller may see; all, unless limited.
pub(super) struct Visibility<T>(Option<Arc<Shows<T>>>);

impl<T> Visibility<T> {
    pub(super) fn limited(shows: impl Fn(&T, &Context) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(shows)))
    }

    pub(super) fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn shows(&self, item: &T, context: &Context) -> bool {
        self.0.as_ref().is_none_or(|shows| shows(item, context))
    }
}

impl<T> Clone for Visibility<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Visibility<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> fmt::Debug for Visibility<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Visibility")
            .field(&self.is_limited())
            .finish()
    }
}
