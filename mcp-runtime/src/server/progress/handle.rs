//! What a handler says of its progress.

use super::{Amount, ProgressItems, Total};
use crate::ProtocolError;
use crate::server::{Context, FromContext};

/// The progress of a call, for a handler to report.
///
/// Whatever is reported is only sent to a client that asked for it with a `progressToken`, only
/// while it grows, and at most fifty times a second; the last report always goes out before the
/// result. So there is no harm in reporting each step.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::server::Progress;
///
/// struct Library;
///
/// #[mcp_server]
/// impl Library {
///     /// Reads all books.
///     #[tool]
///     fn index(&self, progress: &Progress) -> usize {
///         let books = ["Emma", "Dracula"];
///         progress.over(books).map(str::len).sum()
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Progress {
    context: Context,
}

impl Progress {
    /// Reports how far the call has come, of how much in all, and what it is at. See
    /// [`Context::progress`].
    pub fn report(&self, done: impl Amount, total: impl Total, message: impl Into<String>) {
        self.context.progress(done, total, message);
    }

    /// Whether the client wants to know.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.context.wants_progress()
    }

    /// Goes through `items`, and reports each one when the next is asked for. The total is known
    /// where the iterator knows its length.
    pub fn over<I: IntoIterator>(&self, items: I) -> ProgressItems<I::IntoIter> {
        ProgressItems::new(self.clone(), items.into_iter())
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for Progress {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(Self {
            context: cx.clone(),
        })
    }
}
