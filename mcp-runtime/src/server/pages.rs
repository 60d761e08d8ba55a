//! Lists, page by page (2026-07-28, "Pagination").

use std::num::NonZeroUsize;
use std::ops::Range;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{Conform, Revision};
use serde::Serialize;

use super::answer::Prepared;
use super::cursor::{Pageable, Place};
use crate::error::RequestError;

/// A list that is the same for everybody, written once for each page and revision.
#[derive(Debug)]
pub(super) struct Pages {
    list: Pageable,
    size: Option<NonZeroUsize>,
    /// The number of each item, in their order.
    serials: Vec<u64>,
    written: Vec<Prepared>,
}

/// One page of a list.
pub(super) struct Page<'a> {
    /// Which items it has.
    pub(super) items: Range<usize>,
    /// The cursor of the next one.
    pub(super) next: Option<String>,
    /// Where it is written once, if it begins where pages do.
    written: Option<&'a Prepared>,
}

impl Pages {
    /// Pages of `size` items; one page, if there is none.
    pub(super) fn new(list: Pageable, size: Option<NonZeroUsize>, serials: Vec<u64>) -> Self {
        let pages = size.map_or(1, |size| serials.len().div_ceil(size.get()).max(1));
        Self {
            list,
            size,
            serials,
            written: (0..pages).map(|_| Prepared::default()).collect(),
        }
    }

    /// The page after `cursor`.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(super) fn page(&self, cursor: Option<&str>) -> Result<Page<'_>, RequestError> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let after = Place::read(self.list, cursor)?;
                let is_before = |serial: &u64| Place::of(*serial) <= after;
                self.serials.partition_point(is_before)
            }
        };
        let len = self.serials.len();
        let size = self.size.map_or(len, NonZeroUsize::get);
        let end = start.saturating_add(size).min(len);
        let next = (end < len).then(|| Place::of(self.serials[end - 1]).cursor(self.list));
        // Where items were removed, the pages that a client is in the middle of begin elsewhere.
        let page = start.checked_div(size).unwrap_or(0);
        Ok(Page {
            items: start..end,
            next,
            written: self.written.get(page).filter(|_| start == page * size),
        })
    }
}

impl Page<'_> {
    /// The page as `revision` wants it, from `make` unless it was written before.
    pub(super) fn written<T: Serialize + Conform>(
        &self,
        revision: Revision,
        make: impl Fn() -> T,
    ) -> PreparedResult {
        match self.written {
            Some(written) => written.get(revision, make),
            None => Prepared::default().get(revision, make),
        }
    }
}

/// Which of the items at `places`, which stand in order, are on the page after `cursor`, and the
/// cursor of the next one.
///
/// # Errors
///
/// When `cursor` was not given out for this list.
pub(super) fn cut(
    places: &[Place],
    list: Pageable,
    cursor: Option<&str>,
    size: Option<NonZeroUsize>,
) -> Result<(Range<usize>, Option<String>), RequestError> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let after = Place::read(list, cursor)?;
            places.partition_point(|place| *place <= after)
        }
    };
    let size = size.map_or(usize::MAX, NonZeroUsize::get);
    let end = start.saturating_add(size).min(places.len());
    let is_last = end == places.len();
    let next = places[..end].last().filter(|_| !is_last);
    Ok((start..end, next.map(|place| place.cursor(list))))
}
