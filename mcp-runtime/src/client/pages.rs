//! Lists, fetched page by page.

use std::collections::HashSet;
use std::hash::BuildHasher;

use mcp_types::{
    ListPromptsRequest, ListPromptsResult, ListResourceTemplatesRequest,
    ListResourceTemplatesResult, ListResourcesRequest, ListResourcesResult, ListToolsRequest,
    ListToolsResult, PaginatedRequestParams, Prompt, RawJson, Request, Resource, ResourceTemplate,
    Tool,
};

use super::Client;
use super::claims::UnknownResults;
use super::config::Config;
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
