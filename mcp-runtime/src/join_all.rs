//! Waiting for several futures at once.

use std::future::poll_fn;
use std::task::Poll;

use crate::connection::BoxFuture;

/// Polls `futures` concurrently until all are ready, and returns their outputs in the same order.
pub(crate) async fn join_all<T>(mut futures: Vec<BoxFuture<T>>) -> Vec<T> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|task| {
        let mut poll = Poll::Ready(());
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match future.as_mut().poll(task) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => poll = Poll::Pending,
                }
            }
        }
        poll
    })
    .await;
    outputs.into_iter().flatten().collect()
}
