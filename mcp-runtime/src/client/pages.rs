//! Lists that are fetched page by page.

use std::fmt;

use mcp_types::{
    ListPromptsRequest, ListPromptsResult, ListResourceTemplatesRequest,
    ListResourceTemplatesResult, ListResourcesRequest, ListResourcesResult, ListToolsRequest,
    ListToolsResult, PaginatedRequestParams, Prompt, Request, Resource, ResourceTemplate, Tool,
};

use super::Client;
use super::paging::Paging;
use crate::error::CallError;

/// A request that returns one page of a list.
///
/// Implemented for `ListToolsRequest`, `ListPromptsRequest`, `ListResourcesRequest` and
/// `ListResourceTemplatesRequest`. An extension implements it for the lists of its own.
pub trait ListRequest: Request<Params: Clone> + Sized + 'static {
    /// The type of the list's items.
    type Item: Send + 'static;

    /// Splits a page into its items and the cursor of the next page.
    fn split(page: Self::Result) -> (Vec<Self::Item>, Option<String>);

    /// Returns the parameters of the page at `cursor`. `first` has the parameters of the first page.
    fn at(first: &Self::Params, cursor: String) -> Self::Params;
}

macro_rules! lists {
    ($($request:ident => $result:ident, $items:ident: $item:ident;)*) => {$(
        impl ListRequest for $request {
            type Item = $item;

            fn split(page: $result) -> (Vec<$item>, Option<String>) {
                (page.$items, page.next_cursor)
            }

            fn at(first: &PaginatedRequestParams, cursor: String) -> PaginatedRequestParams {
                first.clone().with_cursor(cursor)
            }
        }
    )*};
}

lists! {
    ListToolsRequest => ListToolsResult, tools: Tool;
    ListPromptsRequest => ListPromptsResult, prompts: Prompt;
    ListResourcesRequest => ListResourcesResult, resources: Resource;
    ListResourceTemplatesRequest => ListResourceTemplatesResult, resource_templates: ResourceTemplate;
}

/// A list that is fetched page by page; created by [`Client::pages`].
pub struct Pages<R: ListRequest> {
    client: Client,
    paging: Paging<R::Params>,
    fresh: bool,
}

impl<R: ListRequest> Pages<R> {
    pub(super) fn new(client: &Client, first: R::Params) -> Self {
        Self {
            client: client.clone(),
            paging: Paging::new(&client.state().config, first, R::at),
            fresh: false,
        }
    }

    /// Bypasses the cache, and sends the requests as part of another call (not through layers).
    pub(super) fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// Fetches all pages, up to the limits of the client.
    pub(super) async fn all(mut self) -> Result<Vec<R::Item>, CallError> {
        let mut items = Vec::new();
        while let Some(more) = self.next().await? {
            items.extend(more);
        }
        Ok(items)
    }

    /// Fetches the next page. Returns `None` after the last page and after an error.
    ///
    /// # Errors
    ///
    /// Fails if the page can't be fetched. [`CallError::Result`] if the list has more pages than
    /// [`max_pages`](super::ClientBuilder::max_pages), or more bytes than
    /// [`max_list_bytes`](super::ClientBuilder::max_list_bytes).
    pub async fn next(&mut self) -> Result<Option<Vec<R::Item>>, CallError> {
        let unfit = |reason| CallError::unfit(R::METHOD, reason);
        let Some(params) = self.paging.next().map_err(unfit)? else {
            return Ok(None);
        };
        let mut request = self.client.request::<R>(params).repeatable(true);
        if self.fresh {
            request = request.fresh().inner();
        }
        let converter = request.converter();
        let raw = request.unconverted().await?;
        let page = self.paging.weigh(&raw).map_err(unfit)?;
        let (items, cursor) = R::split(Box::pin(converter.complete(raw)).await?);
        Ok(self.paging.goes_on(page, cursor).then_some(items))
    }

    /// Returns true if the list ended because the server repeated a cursor. Items may be missing.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.paging.is_cut
    }
}

impl<R: ListRequest> fmt::Debug for Pages<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pages").field(&R::METHOD).finish()
    }
}
