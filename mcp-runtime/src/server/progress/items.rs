//! Progress that is counted in items.

use super::Progress;

/// Goes through the items of an iterator and reports how many are done; made by
/// [`Progress::over`].
#[derive(Clone, Debug)]
#[must_use = "iterators do nothing unless they are asked for items"]
pub struct ProgressItems<I> {
    progress: Progress,
    items: I,
    given: usize,
    total: Option<f64>,
}

impl<I: Iterator> ProgressItems<I> {
    pub(super) fn new(progress: Progress, items: I) -> Self {
        let total = known(items.size_hint());
        Self {
            progress,
            items,
            given: 0,
            total,
        }
    }
}

/// The number of items, where it is certain.
pub(super) fn known((least, most): (usize, Option<usize>)) -> Option<f64> {
    (most == Some(least)).then_some(least as f64)
}

impl<I: Iterator> Iterator for ProgressItems<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        // Whoever asks for the next item is done with the one before.
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
