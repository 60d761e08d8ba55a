//! A bus within one process.

use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::{Bus, BusEvent, StoreFuture};
use crate::connection::BoxFuture;
use crate::limits::MEMORY_BUS_MESSAGES;

/// A [`Bus`] within one process, for tests with several servers. Clones are the same bus.
///
/// A listener that is more than 1024 messages behind misses the oldest and gets a
/// [`Gap`](BusEvent::Gap).
#[derive(Clone, Debug)]
pub struct MemoryBus(broadcast::Sender<Bytes>);

impl MemoryBus {
    /// Creates a bus without listeners.
    #[must_use]
    pub fn new() -> Self {
        Self(broadcast::Sender::new(MEMORY_BUS_MESSAGES))
    }
}

impl Default for MemoryBus {
    fn default() -> Self {
        Self::new()
    }
}

impl Bus for MemoryBus {
    fn publish(&self, message: Bytes) -> StoreFuture<()> {
        // Sending fails only if there are no listeners.
        let _ = self.0.send(message);
        Box::pin(ready(Ok(())))
    }

    fn listen(&self, deliver: Arc<dyn Fn(BusEvent) + Send + Sync>) -> BoxFuture<()> {
        let sender = self.0.clone();
        Box::pin(async move {
            let mut messages = sender.subscribe();
            deliver(BusEvent::Gap);
            loop {
                match messages.recv().await {
                    Ok(message) => deliver(BusEvent::Message(message)),
                    Err(RecvError::Lagged(_)) => deliver(BusEvent::Gap),
                    // Impossible, because this future holds a sender.
                    Err(RecvError::Closed) => return std::future::pending().await,
                }
            }
        })
    }
}
