//! Lists, subscriptions and notifications as streams.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use mcp_types::ServerNotification;

use super::{Client, ListRequest, Notifications, Pages, Subscription};
use crate::connection::BoxFuture;
use crate::error::CallError;

/// An item of a stream, and the source of those after it. The stream ends where one is missing.
type Step<S, T> = BoxFuture<Option<(T, Option<S>)>>;

/// A stream whose items come from a source, one after the other.
struct Unfold<S, T> {
    next: fn(S) -> Step<S, T>,
    step: Option<Step<S, T>>,
}

impl<S, T> Unfold<S, T> {
    fn new(source: S, next: fn(S) -> Step<S, T>) -> Self {
        Self {
            next,
            step: Some(next(source)),
        }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(step) = &mut self.step else {
            return Poll::Ready(None);
        };
        let found = ready!(step.as_mut().poll(cx));
        self.step = None;
        Poll::Ready(found.map(|(item, source)| {
            self.step = source.map(self.next);
            item
        }))
    }
}

impl<S, T> fmt::Debug for Unfold<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

/// A [`Subscription`] as a stream, which ends after an error.
#[must_use = "streams do nothing unless they are polled"]
#[derive(Debug)]
pub struct SubscriptionStream(Unfold<Subscription, Result<ServerNotification, CallError>>);

impl Subscription {
    /// The notifications as a stream. Dropping it ends the subscription.
    pub fn into_stream(self) -> SubscriptionStream {
        SubscriptionStream(Unfold::new(self, |mut subscription| {
            Box::pin(async move {
                match subscription.next().await {
                    Ok(notification) => Some((Ok(notification?), Some(subscription))),
                    Err(error) => Some((Err(error), None)),
                }
            })
        }))
    }
}

impl Stream for SubscriptionStream {
    type Item = Result<ServerNotification, CallError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx)
    }
}

/// [`Notifications`] as a stream.
#[must_use = "streams do nothing unless they are polled"]
#[derive(Debug)]
pub struct NotificationStream(Unfold<Notifications, ServerNotification>);

impl Notifications {
    /// The notifications as a stream.
    pub fn into_stream(self) -> NotificationStream {
        NotificationStream(Unfold::new(self, |mut notifications| {
            Box::pin(async move { Some((notifications.next().await?, Some(notifications))) })
        }))
    }
}

impl Stream for NotificationStream {
    type Item = ServerNotification;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx)
    }
}

/// The items of a list as a stream, which ends after an error; made by [`Client::items`].
#[must_use = "streams do nothing unless polled"]
pub struct Items<R: ListRequest> {
    page: std::vec::IntoIter<R::Item>,
    pages: Unfold<Pages<R>, Result<Vec<R::Item>, CallError>>,
}

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
        let pages = Unfold::new(self.pages(), |mut pages: Pages<R>| -> Step<_, _> {
            Box::pin(async move {
                match pages.next().await {
                    Ok(page) => Some((Ok(page?), Some(pages))),
                    Err(error) => Some((Err(error), None)),
                }
            })
        });
        Items {
            page: Vec::new().into_iter(),
            pages,
        }
    }
}

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
            match ready!(self.pages.poll_next(cx)) {
                Some(Ok(page)) => self.page = page.into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<R: ListRequest> fmt::Debug for Items<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
