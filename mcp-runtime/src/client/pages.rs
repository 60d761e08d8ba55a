//! Lists, fetched page by page.

use mcp_types::{ListToolsResult, PaginatedRequestParams, Request, Tool};

use super::Client;
use crate::error::CallError;

/// A result that is one page of a list.
pub(super) trait Page: Sized {
    /// What is listed.
    type Item;

    /// The items, and the cursor of the next page.
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

impl Page for ListToolsResult {
    type Item = Tool;

    fn into_parts(self) -> (Vec<Tool>, Option<String>) {
        (self.tools, self.next_cursor)
    }
}

impl Client {
    /// All pages of a list, up to the number that the client allows.
    pub(super) async fn all_pages<R>(&self) -> Result<Vec<<R::Result as Page>::Item>, CallError>
    where
        R: Request<Params = PaginatedRequestParams> + 'static,
        R::Result: Page,
    {
        let mut items = Vec::new();
        let mut params = PaginatedRequestParams::new();
        for _ in 0..self.config().max_pages {
            let page = self.request::<R>(params).await?;
            let (more, cursor) = page.into_parts();
            items.extend(more);
            match cursor {
                Some(cursor) => params = PaginatedRequestParams::new().with_cursor(cursor),
                None => return Ok(items),
            }
        }
        Err(CallError::Result {
            method: R::METHOD.to_owned(),
            reason: format!("the list has more than {} pages", self.config().max_pages),
        })
    }
}
