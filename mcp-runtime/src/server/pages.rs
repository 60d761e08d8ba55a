//! Lists, page by page (2026-07-28, "Pagination").

use std::num::NonZeroUsize;
use std::ops::Range;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{Conform, Revision};
use serde::Serialize;

use super::cursor::{Pageable, Place};
use super::prepared::Prepared;
use crate::protocol::Refusal;

/// A list that is the same for everybody, written once for each page and revision.
#[derive(Debug)]
pub(super) struct Pages {
    list: Pageable,
    size: Option<NonZeroUsize>,
    /// The number of each item, in their order.
    serials: Vec<u64>,
    written: Vec<Prepared>,
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

    /// The page after `cursor`, from what `make` makes of its items and of the next cursor.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(super) fn get<T: Serialize + Conform>(
        &self,
        cursor: Option<&str>,
        revision: Revision,
        make: impl FnOnce(Range<usize>, Option<String>) -> T,
    ) -> Result<PreparedResult, Refusal> {
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
        let make = || make(start..end, next);
        // Where items were removed, the pages that a client is in the middle of begin elsewhere.
        let page = start.checked_div(size).unwrap_or(0);
        let written = self.written.get(page).filter(|_| start == page * size);
        Ok(match written {
            Some(written) => written.get(revision, make),
            None => Prepared::default().get(revision, make),
        })
    }
}

/// The page of `items` after `cursor`, and the cursor of the next one. The items stand in the
/// order of their places.
///
/// # Errors
///
/// When `cursor` was not given out for this list.
pub(super) fn cut<T>(
    mut items: Vec<(Place, T)>,
    list: Pageable,
    cursor: Option<&str>,
    size: Option<NonZeroUsize>,
) -> Result<(Vec<T>, Option<String>), Refusal> {
    if let Some(cursor) = cursor {
        let after = Place::read(list, cursor)?;
        items.drain(..items.partition_point(|(place, _)| *place <= after));
    }
    let mut next = None;
    if let Some(size) = size.map(NonZeroUsize::get)
        && items.len() > size
    {
        items.truncate(size);
        next = items.last().map(|(place, _)| place.cursor(list));
    }
    Ok((items.into_iter().map(|(_, item)| item).collect(), next))
}
