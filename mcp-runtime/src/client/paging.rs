//! The way through the pages of a list, and its end.

use std::collections::HashSet;
use std::hash::BuildHasher;

use mcp_types::{PaginatedRequestParams, RawJson};

use super::config::Config;

/// The way through the pages of a list: where it goes on, and its limits.
#[derive(Debug)]
pub(super) struct Paging {
    /// The parameters of the next page.
    next: Option<PaginatedRequestParams>,
    pages: usize,
    max_pages: usize,
    bytes: usize,
    max_bytes: usize,
    cursors: HashSet<String>,
    /// The hash of the last page.
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

    /// The parameters of the next page; `None` after the last one.
    ///
    /// # Errors
    ///
    /// If the list has too many pages.
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

    /// Adds a page to the bytes of the list, and returns its hash.
    ///
    /// # Errors
    ///
    /// If the list has too many bytes.
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

    /// Goes on at `cursor`, unless it was there before. Returns false if the `page` only repeats the
    /// last one, as that of a server which does not read cursors.
    pub(super) fn goes_on(&mut self, page: u64, cursor: Option<String>) -> bool {
        let is_repeated = self.last.replace(page) == Some(page);
        let Some(cursor) = cursor else {
            return true;
        };
        if self.cursors.insert(cursor.clone()) {
            self.next = Some(PaginatedRequestParams::new().with_cursor(cursor));
            return true;
        }
        crate::log::warn!(cursor, "the server repeats a cursor: the list ends there");
        !is_repeated
    }
}
