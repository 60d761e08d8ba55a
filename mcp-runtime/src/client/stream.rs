//! Lists, subscriptions and notifications as streams.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use mcp_types::ServerNotification;

use super::{ListRequest, Notifications, Pages, Subscription};
use crate::connection::BoxFuture;
use crate::error::CallError;

/// Resolves to the next item and the source of the following items, or to `None` at the end.
type NextItem<S, T> = BoxFuture<Option<(T, S)>>;

/// A stream that gets its items one by one from a source, like `futures_util::stream::unfold`.
struct Unfold<S, T> {
    next: fn(S) -> NextItem<S, T>,
    step: Option<NextItem<S, T>>,
}

impl<S, T> Unfold<S, T> {
    fn new(source: S, next: fn(S) -> NextItem<S, T>) -> Self {
        Self {
            next,
            step: Some(next(source)),
        }
    }
}

impl<S, T> Stream for Unfold<S, T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(step) = &mut self.step else {
            return Poll::Ready(None);
        };
        let found = ready!(step.as_mut().poll(cx));
        self.step = None;
        Poll::Ready(found.map(|(item, source)| {
            self.step = Some((self.next)(source));
            item
        }))
    }
}

impl Subscription {
    /// Converts the subscription into a stream of its notifications. Dropping the stream ends the
    /// subscription.
    pub fn into_stream(
        self,
    ) -> impl Stream<Item = Result<ServerNotification, CallError>> + Send + Unpin {
        Unfold::new(self, |mut subscription| {
            Box::pin(async move {
                let next = subscription.next().await.transpose()?;
                Some((next, subscription))
            })
        })
    }
}

impl Notifications {
    /// Converts the receiver into a stream of notifications.
    pub fn into_stream(self) -> impl Stream<Item = ServerNotification> + Send + Unpin {
        Unfold::new(self, |mut notifications| {
            Box::pin(async move { Some((notifications.next().await?, notifications)) })
        })
    }
}

pub(super) fn items<R: ListRequest>(
    pages: Pages<R>,
) -> impl Stream<Item = Result<R::Item, CallError>> + Send + Unpin {
    let source = (pages, Vec::new().into_iter());
    Unfold::new(source, |(mut pages, mut page)| {
        Box::pin(async move {
            loop {
                if let Some(item) = page.next() {
                    return Some((Ok(item), (pages, page)));
                }
                match pages.next().await.transpose()? {
                    Ok(more) => page = more.into_iter(),
                    Err(error) => return Some((Err(error), (pages, page))),
                }
            }
        })
    })
}
