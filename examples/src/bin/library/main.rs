//! A library on standard input and output: a tool, a prompt and a resource for one collection.

mod book;
mod db;

use mcp_runtime::prelude::*;

use book::{Book, Isbn, Tone};
use db::{Db, DbError};

struct Library {
    db: Db,
}

/// Ask about books.
#[mcp_server(name = "library")]
impl Library {
    /// Finds books by title.
    #[tool(read_only)]
    async fn find(
        &self,
        /// Part of the title, in any case.
        title: String,
        /// At most this many books.
        #[arg(default = 10, range = 1..=100)]
        limit: u32,
        cx: &Context,
    ) -> Result<Vec<Book>, DbError> {
        self.db.find(&title, limit as usize, cx.request_id())
    }

    /// Summarises one book for a reader.
    #[prompt]
    fn summary(&self, #[arg(complete = Self::titles)] title: String, tone: Option<Tone>) -> String {
        let tone = tone.unwrap_or_default();
        format!("Summarise the book “{title}” for a reader, in a {tone} tone.")
    }

    /// One book, as JSON.
    #[resource("book://{isbn}", mime = "application/json")]
    async fn book(&self, isbn: Isbn) -> Result<Json<Book>, NotFound> {
        self.db.book(isbn).map(Json).ok_or(NotFound)
    }

    /// Returns the titles that begin with the typed text.
    fn titles(&self, request: &CompletionRequest) -> Vec<String> {
        self.db.titles(request.value())
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let db = Db::austen();
    Library { db }.serve(stdio()).await
}
