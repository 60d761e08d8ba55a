//! Lists that are fetched page by page.

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
/// `ListResourceTemplatesRequest`.
pub trait ListRequest: Request<Params = PaginatedRequestParams> + Sized + 'static {
    /// The type of the list's items.
    type Item: Send + 'static;

    /// Splits a page into its items and the cursor of the next page.
    fn split(page: Self::Result) -> (Vec<Self::Item>, Option<String>);
}

impl ListRequest for ListToolsRequest {
    type Item = Tool;

    fn split(page: ListToolsResult) -> (Vec<Tool>, Option<String>) {
        (page.tools, page.next_cursor)
    }
}

impl ListRequest for ListPromptsRequest {
    type Item = Prompt;

    fn split(page: ListPromptsResult) -> (Vec<Prompt>, Option<String>) {
        (page.prompts, page.next_cursor)
    }
}

impl ListRequest for ListResourcesRequest {
    type Item = Resource;

    fn split(page: ListResourcesResult) -> (Vec<Resource>, Option<String>) {
        (page.resources, page.next_cursor)
    }
}

impl ListRequest for ListResourceTemplatesRequest {
    type Item = ResourceTemplate;

    fn split(page: ListResourceTemplatesResult) -> (Vec<ResourceTemplate>, Option<String>) {
        (page.resource_templates, page.next_cursor)
    }
}

/// A list that is fetched page by page; created by [`Client::pages`].
#[derive(Debug)]
pub struct Pages<R> {
    client: Client,
    paging: Paging,
    fresh: bool,
    request: std::marker::PhantomData<fn() -> R>,
}

impl<R: ListRequest> Pages<R> {
    pub(super) fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            paging: Paging::new(&client.state().config),
            fresh: false,
            request: std::marker::PhantomData,
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
        let mut request = self.client.request::<R>(params);
        if self.fresh {
            request = request.fresh().inner();
        }
        let converter = request.converter();
        let raw = request.unconverted().await?;
        let page = self.paging.weigh(&raw).map_err(unfit)?;
        let (items, cursor) = R::split(Box::pin(converter.complete(raw)).await?);
        Ok(self.paging.goes_on(page, cursor).then_some(items))
    }
}
