//! Reporting the progress of a call from its handler.

#[cfg(feature = "stream")]
use std::pin::Pin;
#[cfg(feature = "stream")]
use std::task::{self, Poll};

use super::{Context, FromContext};
use crate::ProtocolError;

/// An amount of progress: any integer or floating-point number.
pub trait ProgressAmount {
    /// Returns the number. Integers that need more than 53 bits are rounded.
    fn amount(self) -> f64;
}

/// The amount at which progress is complete: a number, or `None` if it is unknown.
pub trait ProgressTotal {
    /// Returns the number, or `None` if it is unknown.
    fn total(self) -> Option<f64>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl ProgressAmount for $number {
            fn amount(self) -> f64 {
                self as f64
            }
        }

        impl ProgressTotal for $number {
            fn total(self) -> Option<f64> {
                Some(self as f64)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

impl ProgressTotal for Option<f64> {
    fn total(self) -> Option<f64> {
        self
    }
}

/// Reports the progress of a call. A handler takes it by reference.
///
/// A report is sent only if the client requests progress with a `progressToken` and the amount has
/// grown, and at most fifty times a second. The last report is always sent before the result. It is
/// therefore cheap to report each step.
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
    /// Reports the amount done, the total, and the current step. See [`Context::progress`].
    pub fn report(
        &self,
        done: impl ProgressAmount,
        total: impl ProgressTotal,
        message: impl Into<String>,
    ) {
        self.context.progress(done, total, message);
    }

    /// Returns true if the client requests progress, or an extension takes it.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.context.wants_progress()
    }

    /// Iterates over `items`, and reports each item when the next one is requested. The total is
    /// reported if the iterator has an exact length.
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
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ProgressItems<I> {
    progress: Progress,
    items: I,
    given: usize,
    total: Option<f64>,
}

impl<I: Iterator> Iterator for ProgressItems<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        // The previous item is done when the next one is requested.
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

/// Returns the number of items if the size hint is exact.
fn exact((least, most): (usize, Option<usize>)) -> Option<f64> {
    (most == Some(least)).then_some(least as f64)
}

/// A stream that reports how many of its items are done; made by [`Progress::over_stream`].
#[cfg(feature = "stream")]
#[derive(Clone, Debug)]
#[must_use = "streams do nothing unless they are polled"]
pub struct ProgressStream<S> {
    progress: Progress,
    stream: S,
    given: usize,
    total: Option<f64>,
}

#[cfg(feature = "stream")]
impl Progress {
    /// Returns `stream` with a report of each item when the next one is requested. The total is
    /// reported if the stream has an exact length.
    pub fn over_stream<S: futures_core::Stream + Unpin>(&self, stream: S) -> ProgressStream<S> {
        ProgressStream {
            progress: self.clone(),
            given: 0,
            total: exact(stream.size_hint()),
            stream,
        }
    }
}

#[cfg(feature = "stream")]
impl<S: futures_core::Stream + Unpin> futures_core::Stream for ProgressStream<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Option<S::Item>> {
        // The previous item is done when the next one is requested. If this is polled repeatedly,
        // `report` ignores the repetition.
        if self.given > 0 {
            self.progress.report(self.given, self.total, "");
        }
        let item = task::ready!(Pin::new(&mut self.stream).poll_next(cx));
        self.given += usize::from(item.is_some());
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.size_hint()
    }
}
