//! Pagination of a list, and its limits.
//!
//! A faulty server may send pages without end or repeat a cursor. [`Paging`] therefore limits the
//! pages and bytes of a list, and recognizes cursors that it has already followed.

use std::collections::HashSet;
use std::hash::BuildHasher;

use mcp_types::RawJson;

use super::config::Config;

/// The position in a list that is fetched page by page. `P` is the type of the parameters.
#[derive(Debug)]
pub(super) struct Paging<P> {
    next: Option<P>,
    /// The parameters of the first page.
    first: P,
    /// Returns the parameters of the page at a cursor.
    at: fn(&P, String) -> P,
    pages: usize,
    max_pages: usize,
    bytes: usize,
    max_bytes: usize,
    cursors: HashSet<String>,
    last: Option<u64>,
    /// True if the list ended because the server repeated a cursor.
    pub(super) is_cut: bool,
}

impl<P: Clone> Paging<P> {
    pub(super) fn new(config: &Config, first: P, at: fn(&P, String) -> P) -> Self {
        Self {
            next: Some(first.clone()),
            first,
            at,
            pages: 0,
            max_pages: config.max_pages,
            bytes: 0,
            max_bytes: config.max_list_bytes,
            cursors: HashSet::new(),
            last: None,
            is_cut: false,
        }
    }

    /// Takes the parameters of the next page. Returns `None` after the last page.
    ///
    /// # Errors
    ///
    /// Fails if the list has too many pages.
    pub(super) fn next(&mut self) -> Result<Option<P>, String> {
        let next = self.next.take();
        self.pages += 1;
        if next.is_some() && self.pages > self.max_pages {
            Err(format!(
                "the list has more than {} pages (`max_pages`)",
                self.max_pages
            ))
        } else {
            Ok(next)
        }
    }

    /// Adds the length of a page to that of the list, and returns the hash of the page.
    ///
    /// # Errors
    ///
    /// Fails if the list has too many bytes.
    pub(super) fn weigh(&mut self, page: &RawJson) -> Result<u64, String> {
        self.bytes = self.bytes.saturating_add(page.get().len());
        if self.bytes > self.max_bytes {
            Err(format!(
                "the list has more than {} bytes (`max_list_bytes`)",
                self.max_bytes
            ))
        } else {
            Ok(self.cursors.hasher().hash_one(page.get()))
        }
    }

    /// Continues at `cursor`, unless it was already followed. Returns false if `page` only repeats
    /// the previous page, which happens if the server ignores cursors.
    pub(super) fn goes_on(&mut self, page: u64, cursor: Option<String>) -> bool {
        let is_repeated = self.last.replace(page) == Some(page);
        let Some(cursor) = cursor else {
            return true;
        };
        if self.cursors.insert(cursor.clone()) {
            self.next = Some((self.at)(&self.first, cursor));
            return true;
        }
        self.is_cut = true;
        crate::log::warn!(
            cursor,
            "the server repeated a cursor, so the list ends here"
        );
        !is_repeated
    }
}
