//! One item of a catalogue, and the callers that may see it.

use std::fmt;
use std::sync::Arc;

use super::mount::Mount;
use crate::server::Context;
use crate::server::completions::Completers;

/// A tool, a prompt, a resource or a resource template.
pub(in crate::server) trait Entry:
    fmt::Debug + Send + Sync + Sized + 'static
{
    /// The name, the URI, or the text of the URI template.
    fn name(&self) -> &str;

    /// A second spelling under which the entry is found, if it has one.
    fn normalized_name(&self) -> Option<String> {
        None
    }

    /// Returns whether the entry stands for many URIs, and is listed apart from those with one.
    fn is_template(&self) -> bool {
        false
    }

    /// The callers that may see the entry.
    fn visibility(&self) -> &Visibility<Self>;

    /// The functions that complete its arguments.
    fn completers(&self) -> Option<&Completers> {
        None
    }

    /// The entry of a mounted server, as the server that mounts it has it.
    fn mounted(inner: &Arc<Self>, mount: &Arc<Mount>, visibility: Visibility<Self>) -> Self;
}

/// A condition on an entry, the name or URI that it is asked for by, and the call; `true` unless
/// limited.
pub(in crate::server) struct Visibility<R>(Option<Arc<Shows<R>>>);

type Shows<R> = dyn Fn(&R, &str, &Context) -> bool + Send + Sync;

impl<R> Visibility<R> {
    pub(in crate::server) fn limited(
        shows: impl Fn(&R, &str, &Context) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(shows)))
    }

    pub(in crate::server) fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    pub(in crate::server) fn shows(&self, entry: &R, name: &str, context: &Context) -> bool {
        let shows = self.0.as_ref();
        shows.is_none_or(|shows| shows(entry, name, context))
    }
}

impl<R> Clone for Visibility<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R> Default for Visibility<R> {
    fn default() -> Self {
        Self(None)
    }
}

impl<R> fmt::Debug for Visibility<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Visibility")
            .field(&self.is_limited())
            .finish()
    }
}
