//! Progress of a call, reported to the client (2026-07-28, "Progress").

#[cfg(feature = "stream")]
mod stream;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{
    Conform, ProgressNotification, ProgressNotificationParams, ProgressToken, Revision,
};
use tokio::time::Instant;

use super::{Context, FromContext};
use crate::ProtocolError;
use crate::connection::Peer;
use crate::error::CallError;
use crate::limits::PROGRESS_INTERVAL;

#[cfg(feature = "stream")]
pub use stream::ProgressStream;

/// A number of any kind.
pub trait Amount {
    /// The number. What is too large for 53 bits is rounded.
    fn amount(self) -> f64;
}

/// The amount at which progress ends, if it is known: a number, or `None`.
pub trait Total {
    /// The number, if it is known.
    fn total(self) -> Option<f64>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Amount for $number {
            fn amount(self) -> f64 {
                self as f64
            }
        }

        impl Total for $number {
            fn total(self) -> Option<f64> {
                Some(self as f64)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

impl Total for Option<f64> {
    fn total(self) -> Option<f64> {
        self
    }
}

/// The progress of a call, for a handler to report.
///
/// A report is only sent to a client that asked for it with a `progressToken`, only while it grows,
/// and at most fifty times a second; the last report always goes out before the result. So there is
/// no harm in reporting each step.
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
    /// Reports the amount that is done, the total, and the present step. See [`Context::progress`].
    pub fn report(&self, done: impl Amount, total: impl Total, message: impl Into<String>) {
        self.context.progress(done, total, message);
    }

    /// Whether the client asked for progress.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.context.wants_progress()
    }

    /// Iterates over `items`, and reports each one when the next is asked for. The total is known
    /// when the iterator knows its length.
    pub fn over<I: IntoIterator>(&self, items: I) -> ProgressItems<I::IntoIter> {
        let items = items.into_iter();
        ProgressItems {
            progress: self.clone(),
            total: exact(items.size_hint()),
            items,
            given: 0,
        }
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

/// Iterates over items and reports how many are done; made by [`Progress::over`].
#[derive(Clone, Debug)]
#[must_use = "iterators do nothing unless they are asked for items"]
pub struct ProgressItems<I> {
    progress: Progress,
    items: I,
    given: usize,
    total: Option<f64>,
}

impl<I: Iterator> Iterator for ProgressItems<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        // The item before is done when the next one is asked for.
        if self.given > 0 {
            self.progress.report(self.given, self.total, "");
        }
        let item = self.items.next()?;
        self.given += 1;
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

/// The number of items of a size hint that is exact.
fn exact((least, most): (usize, Option<usize>)) -> Option<f64> {
    (most == Some(least)).then_some(least as f64)
}

/// Sends the progress of one call to the client, at most once in [`PROGRESS_INTERVAL`].
#[derive(Debug)]
pub(super) struct Reporter {
    token: ProgressToken,
    revision: Revision,
    peer: Peer,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The highest amount reported.
    newest: Option<f64>,
    /// The newest report, until it is sent.
    waiting: Option<ProgressNotificationParams>,
    last_sent: Option<Instant>,
    /// Whether a task sends what waits.
    timed: bool,
    /// Whether the call is over, after which nothing is sent.
    over: bool,
}

impl Reporter {
    pub(super) fn new(token: ProgressToken, revision: Revision, peer: Peer) -> Self {
        Self {
            token,
            revision,
            peer,
            state: Mutex::default(),
        }
    }

    /// Sends a report, or keeps it if one was sent just before. Ignores one that does not exceed
    /// those before.
    pub(super) fn report(self: &Arc<Self>, done: f64, total: Option<f64>, message: String) {
        let mut state = self.lock();
        let grows = state.newest.is_none_or(|newest| done > newest);
        if state.over || !done.is_finite() || !grows {
            return;
        }
        state.newest = Some(done);
        state.waiting = Some(self.params(done, total, message));
        let now = Instant::now();
        let is_due = |last: Instant| now.duration_since(last) >= PROGRESS_INTERVAL;
        if state.last_sent.is_none_or(is_due) {
            self.send(&mut state, now);
        }
        if state.waiting.is_some() && !state.timed {
            state.timed = self.start_timer();
        }
    }

    fn params(&self, done: f64, total: Option<f64>, message: String) -> ProgressNotificationParams {
        let mut params = ProgressNotificationParams::new(self.token.clone(), done);
        params.total = total.filter(|total| total.is_finite());
        params.message = Some(message).filter(|message| !message.is_empty());
        params.conform(self.revision);
        params
    }

    /// Sends what waits, if there is room for it.
    fn send(&self, state: &mut State, now: Instant) {
        let Some(params) = state.waiting.take() else {
            return;
        };
        state.last_sent = Some(now);
        let sent = self.peer.notify::<ProgressNotification>(Some(&params));
        if let Err(CallError::Full) = sent {
            state.waiting = Some(params);
        }
    }

    /// Starts a task that sends the waiting report in time. Returns `false` outside of a runtime:
    /// then it is sent with the next report, or at the end.
    fn start_timer(self: &Arc<Self>) -> bool {
        if tokio::runtime::Handle::try_current().is_err() {
            return false;
        }
        let reporter = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(PROGRESS_INTERVAL).await;
                let mut state = reporter.lock();
                if !state.over {
                    reporter.send(&mut state, Instant::now());
                }
                if state.over || state.waiting.is_none() {
                    state.timed = false;
                    return;
                }
            }
        });
        true
    }

    /// Sends the last report, which goes before the result, and ends reporting.
    pub(super) fn finish(&self) {
        let mut state = self.lock();
        if let Some(params) = state.waiting.take().filter(|_| !state.over) {
            // Fails only when the connection is over.
            let _ = self.peer.notify_urgently::<ProgressNotification>(&params);
        }
        state.over = true;
    }

    /// Ends reporting without another report.
    pub(super) fn close(&self) {
        self.lock().over = true;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
