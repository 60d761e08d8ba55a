//! A collection of books, instead of a database.

use std::fmt;

use mcp_runtime::types::RequestId;

use crate::book::{Book, Isbn};

pub(crate) struct Db(Vec<Book>);

#[derive(Debug)]
pub(crate) struct DbError {
    request: RequestId,
}

impl fmt::Display for DbError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no book has such a title (request {})", self.request)
    }
}

impl Db {
    /// Creates a collection of three novels.
    pub(crate) fn austen() -> Self {
        let book = |title: &str, year, isbn| Book {
            title: title.to_owned(),
            author: "Jane Austen".to_owned(),
            year,
            isbn: Isbn(isbn),
        };
        Self(vec![
            book("Sense and Sensibility", 1811, 9_780_141_439_662),
            book("Emma", 1815, 9_780_141_439_587),
            book("Persuasion", 1817, 9_780_141_439_686),
        ])
    }

    /// Returns the first `limit` books whose titles contain `title`.
    pub(crate) fn find(
        &self,
        title: &str,
        limit: usize,
        request: &RequestId,
    ) -> Result<Vec<Book>, DbError> {
        let title = title.to_lowercase();
        let fits = |book: &&Book| book.title.to_lowercase().contains(&title);
        let found: Vec<Book> = self.0.iter().filter(fits).take(limit).cloned().collect();
        if found.is_empty() {
            let request = request.clone();
            return Err(DbError { request });
        }
        Ok(found)
    }

    pub(crate) fn book(&self, isbn: Isbn) -> Option<Book> {
        self.0.iter().find(|book| book.isbn == isbn).cloned()
    }

    pub(crate) fn titles(&self, start: &str) -> Vec<String> {
        let titles = self.0.iter().map(|book| &book.title);
        titles
            .filter(|title| title.starts_with(start))
            .cloned()
            .collect()
    }
}
