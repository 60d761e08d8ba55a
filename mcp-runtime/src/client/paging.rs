//! Pagination of a list, and its limits.
//!
//! A faulty server may send pages without end or repeat a cursor. [`Paging`] therefore limits the
//! pages and bytes of a list, and recognizes cursors that it has already followed.

use std::collections::HashSet;
use std::hash::BuildHasher;

use mcp_types::{PaginatedRequestParams, RawJson};

use super::config::Config;

/// The position in a list that is fetched page by page.
#[derive(Debug)]
pub(super) struct Paging {
    next: Option<PaginatedRequestParams>,
    pages: usize,
    max_pages: usize,
    bytes: usize,
    max_bytes: usize,
    cursors: HashSet<String>,
    last: Option<u64>,
}

impl Paging {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            next: Some(PaginatedRequestParams::new()),
            pages: 0,
            max_pages: config.max_pages,
            bytes: 0,
            max_bytes: config.max_list_bytes,
            cursors: HashSet::new(),
            last: None,
        }
    }

    /// Takes the parameters of the next page. Returns `None` after the last page.
    ///
    /// # Errors
    ///
    /// Fails if the list has too many pages.
    pub(super) fn next(&mut self) -> Result<Option<PaginatedRequestParams>, String> {
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
            self.next = Some(PaginatedRequestParams::new().with_cursor(cursor));
            return true;
        }
        crate::log::warn!(
            cursor,
            "the server repeated a cursor, so the list ends here"
        );
        !is_repeated
    }
}
