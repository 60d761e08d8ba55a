//! Lists, fetched page by page.

use mcp_types::{
    ListPromptsRequest, ListPromptsResult, ListResourceTemplatesRequest,
    ListResourceTemplatesResult, ListResourcesRequest, ListResourcesResult, ListToolsRequest,
    ListToolsResult, PaginatedRequestParams, Prompt, Request, Resource, ResourceTemplate, Tool,
};

use super::Client;
use super::paging::Paging;
use super::result::UnknownResults;
use crate::error::CallError;

/// A request for one page of a list.
///
/// Implemented for `ListToolsRequest`, `ListPromptsRequest`, `ListResourcesRequest` and
/// `ListResourceTemplatesRequest`.
pub trait ListRequest: Request<Params = PaginatedRequestParams> + Sized + 'static {
    /// An item of the list.
    type Item: Send + 'static;

    /// The items of a page, and the cursor of the next one.
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

/// A list that is fetched page by page; made by [`Client::pages`].
#[derive(Debug)]
pub struct Pages<R> {
    client: Client,
    paging: Paging,
    /// True if cached answers are not used.
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

    /// Asks the server even if its last answers are cached, as a part of another call.
    pub(super) fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// The items of all pages, up to the number that the client allows.
    pub(super) async fn all(mut self) -> Result<Vec<R::Item>, CallError> {
        let mut items = Vec::new();
        while let Some(more) = self.next().await? {
            items.extend(more);
        }
        Ok(items)
    }

    /// The next page; `None` after the last one, and after an error.
    ///
    /// # Errors
    ///
    /// Why the page is missing; [`CallError::Result`] when the list has more pages than
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
        let raw = request.unconverted(UnknownResults::Claimed).await?;
        let page = self.paging.weigh(&raw).map_err(unfit)?;
        let (items, cursor) = R::split(Box::pin(converter.complete(raw)).await?);
        Ok(self.paging.goes_on(page, cursor).then_some(items))
    }
}
