//! Lists as streams.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::{Client, ListRequest, Pages};
use crate::connection::BoxFuture;
use crate::error::CallError;

impl Client {
    /// A list of the server as a stream of its items; each page is fetched when it is
    /// needed.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// use futures_util::TryStreamExt;
    /// use mcp_runtime::types::ListToolsRequest;
    ///
    /// let mut tools = client.items::<ListToolsRequest>();
    /// while let Some(tool) = tools.try_next().await? {
    ///     println!("{}", tool.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn items<R: ListRequest>(&self) -> Items<R> {
        Items {
            page: Vec::new().into_iter(),
            next: Next::Wanted(Box::new(self.pages())),
        }
    }
}

/// The items of a list, as a stream; made by [`Client::items`]. It ends after an error.
#[must_use = "streams do nothing unless polled"]
pub struct Items<R: ListRequest> {
    page: std::vec::IntoIter<R::Item>,
    next: Next<R>,
}

/// Where the next page comes from.
enum Next<R: ListRequest> {
    Wanted(Box<Pages<R>>),
    Fetching(BoxFuture<(Box<Pages<R>>, Fetched<R>)>),
    Ended,
}

type Fetched<R> = Result<Option<Vec<<R as ListRequest>::Item>>, CallError>;

impl<R: ListRequest> Stream for Items<R>
where
    R::Item: Unpin,
{
    type Item = Result<R::Item, CallError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match std::mem::replace(&mut self.next, Next::Ended) {
                Next::Wanted(mut pages) => {
                    self.next = Next::Fetching(Box::pin(async move {
                        let fetched = pages.next().await;
                        (pages, fetched)
                    }));
                }
                Next::Fetching(mut fetching) => match fetching.as_mut().poll(cx) {
                    Poll::Pending => {
                        self.next = Next::Fetching(fetching);
                        return Poll::Pending;
                    }
                    Poll::Ready((pages, Ok(Some(page)))) => {
                        self.page = page.into_iter();
                        self.next = Next::Wanted(pages);
                    }
                    Poll::Ready((_, Ok(None))) => return Poll::Ready(None),
                    Poll::Ready((_, Err(error))) => return Poll::Ready(Some(Err(error))),
                },
                Next::Ended => return Poll::Ready(None),
            }
        }
    }
}

impl<R: ListRequest> fmt::Debug for Items<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
