//! A bus that a test can interrupt.

use std::future::{pending, ready};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use mcp_runtime::BoxFuture;
use mcp_runtime::store::{Bus, BusEvent, StoreError, StoreFuture};

use crate::support::clock::until;

type Deliver = Arc<dyn Fn(BusEvent) + Send + Sync>;

/// A bus that a test can interrupt.
#[derive(Clone, Default)]
pub struct Wire(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    listeners: Vec<Deliver>,
    is_cut: bool,
    /// The number of messages that were refused.
    refused: usize,
    published: Vec<Bytes>,
}

impl Wire {
    pub fn cut(&self) {
        self.0.lock().unwrap().is_cut = true;
    }

    pub fn mend(&self) {
        self.0.lock().unwrap().is_cut = false;
        self.deliver(&BusEvent::Gap);
    }

    pub fn deliver(&self, event: &BusEvent) {
        let listeners = self.0.lock().unwrap().listeners.clone();
        for deliver in listeners {
            deliver(event.clone());
        }
    }

    /// Returns how many messages have this string in them.
    pub fn published(&self, part: &str) -> usize {
        let state = self.0.lock().unwrap();
        let published = state.published.iter();
        let has_part = |message: &&Bytes| String::from_utf8_lossy(message).contains(part);
        published.filter(has_part).count()
    }

    /// Returns how often this string is in the messages.
    pub fn count(&self, part: &str) -> usize {
        let state = self.0.lock().unwrap();
        let published = state.published.iter();
        let count = |message: &Bytes| String::from_utf8_lossy(message).matches(part).count();
        published.map(count).sum()
    }

    /// Returns how many messages were refused because the bus was cut.
    pub fn refused(&self) -> usize {
        self.0.lock().unwrap().refused
    }

    pub async fn listeners(&self, count: usize) {
        let all = || self.0.lock().unwrap().listeners.len() == count;
        until("all replicas listen", all).await;
    }
}

impl Bus for Wire {
    fn publish(&self, message: Bytes) -> StoreFuture<()> {
        let mut state = self.0.lock().unwrap();
        if state.is_cut {
            state.refused += 1;
            return Box::pin(ready(Err(StoreError::new("cut"))));
        }
        state.published.push(message.clone());
        drop(state);
        self.deliver(&BusEvent::Message(message));
        Box::pin(ready(Ok(())))
    }

    fn listen(&self, deliver: Deliver) -> BoxFuture<()> {
        let wire = self.clone();
        Box::pin(async move {
            deliver(BusEvent::Gap);
            wire.0.lock().unwrap().listeners.push(deliver);
            pending::<()>().await;
        })
    }
}
