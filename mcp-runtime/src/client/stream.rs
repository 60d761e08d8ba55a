//! Notifications as streams.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use mcp_types::ServerNotification;

use super::{Notifications, Subscription};
use crate::connection::BoxFuture;
use crate::error::CallError;

/// An item, and what gives those after it; `None` at the end.
type Found<S> = Option<(<S as Source>::Item, Option<S>)>;

/// A source that gives one item after the other.
trait Source: Sized + Send + 'static {
    type Item: Send + 'static;

    /// Finds the next item.
    fn next(self) -> BoxFuture<Found<Self>>;
}

impl Source for Subscription {
    type Item = Result<ServerNotification, CallError>;

    fn next(mut self) -> BoxFuture<Found<Self>> {
        Box::pin(async move {
            match Self::next(&mut self).await {
                Ok(told) => Some((Ok(told?), Some(self))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}

impl Source for Notifications {
    type Item = ServerNotification;

    fn next(mut self) -> BoxFuture<Found<Self>> {
        Box::pin(async move { Some((Self::next(&mut self).await?, Some(self))) })
    }
}

/// The items of a source as they come. It waits where it is asked, so nothing is lost.
struct Items<S: Source>(Option<BoxFuture<Found<S>>>);

impl<S: Source> Items<S> {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let Some(next) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let found = ready!(next.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(found.map(|(item, rest)| {
            self.0 = rest.map(S::next);
            item
        }))
    }
}

/// A [`Subscription`] as a stream, which ends after an error.
#[must_use = "streams do nothing unless they are polled"]
pub struct SubscriptionStream(Items<Subscription>);

/// [`Notifications`] as a stream.
#[must_use = "streams do nothing unless they are polled"]
pub struct NotificationStream(Items<Notifications>);

impl Subscription {
    /// The notifications as a stream. Dropping it ends the subscription.
    pub fn into_stream(self) -> SubscriptionStream {
        SubscriptionStream(Items(Some(Source::next(self))))
    }
}

impl Notifications {
    /// The notifications as a stream.
    pub fn into_stream(self) -> NotificationStream {
        NotificationStream(Items(Some(Source::next(self))))
    }
}

impl Stream for SubscriptionStream {
    type Item = Result<ServerNotification, CallError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx)
    }
}

impl Stream for NotificationStream {
    type Item = ServerNotification;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx)
    }
}

impl fmt::Debug for SubscriptionStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubscriptionStream").finish_non_exhaustive()
    }
}

impl fmt::Debug for NotificationStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotificationStream").finish_non_exhaustive()
    }
}
