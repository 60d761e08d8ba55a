//! The trait of message buses.

use std::sync::Arc;

use bytes::Bytes;

use super::StoreFuture;
use crate::connection::BoxFuture;

/// Carries messages between the processes that serve the same clients.
///
/// A message is delivered at most once to each listener, including the process that published it.
/// Messages of one publisher arrive in order. Messages have at most 4 MiB.
pub trait Bus: Send + Sync + 'static {
    /// Sends a message to all who listen now. Success means that the bus has accepted the message,
    /// not that it was delivered. Like calls of a store, this must end within about half a second.
    fn publish(&self, message: Bytes) -> StoreFuture<()>;

    /// Calls `deliver` with each message until the future is dropped. The future never ends on its
    /// own: it reconnects for as long as it is polled.
    ///
    /// Whenever listening begins, also for the first time and after each interruption, the first
    /// event is a [`Gap`](BusEvent::Gap), because messages may have been missed before.
    fn listen(&self, deliver: Arc<dyn Fn(BusEvent) + Send + Sync>) -> BoxFuture<()>;
}

/// An event that a [`Bus`] delivers to a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BusEvent {
    /// A message.
    Message(Bytes),
    /// Listening begins. Earlier messages may have been missed, and later messages are delivered.
    Gap,
}

impl<B: Bus + ?Sized> Bus for Arc<B> {
    fn publish(&self, message: Bytes) -> StoreFuture<()> {
        (**self).publish(message)
    }

    fn listen(&self, deliver: Arc<dyn Fn(BusEvent) + Send + Sync>) -> BoxFuture<()> {
        (**self).listen(deliver)
    }
}
