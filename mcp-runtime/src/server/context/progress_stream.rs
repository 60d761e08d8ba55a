//! Progress counted in the items of a stream.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::Progress;
use super::progress::exact;

/// Passes on the items of a stream and reports how many are done; made by
/// [`Progress::over_stream`].
#[derive(Clone, Debug)]
#[must_use = "streams do nothing unless they are polled"]
pub struct ProgressStream<S> {
    progress: Progress,
    stream: S,
    given: usize,
    total: Option<f64>,
}

impl Progress {
    /// Passes on the items of `stream`, and reports each one when the next is requested. The total
    /// is reported if the stream has an exact length.
    pub fn over_stream<S: Stream + Unpin>(&self, stream: S) -> ProgressStream<S> {
        ProgressStream {
            progress: self.clone(),
            given: 0,
            total: exact(stream.size_hint()),
            stream,
        }
    }
}

impl<S: Stream + Unpin> Stream for ProgressStream<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        // The item before is done when the next one is asked for. A report that repeats is not sent.
        if self.given > 0 {
            self.progress.report(self.given, self.total, "");
        }
        let item = ready!(Pin::new(&mut self.stream).poll_next(cx));
        self.given += usize::from(item.is_some());
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.size_hint()
    }
}
