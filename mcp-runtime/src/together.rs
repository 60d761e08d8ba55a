//! Several futures at once.

use std::future::poll_fn;
use std::task::Poll;

use crate::driver::BoxFuture;

/// Waits for all of `futures`; what they came to is in the same order.
pub(crate) async fn all<T>(mut futures: Vec<BoxFuture<T>>) -> Vec<T> {
    let mut done = Vec::new();
    done.resize_with(futures.len(), || None);
    poll_fn(|task| {
        let mut poll = Poll::Ready(());
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none() {
                match future.as_mut().poll(task) {
                    Poll::Ready(value) => *done = Some(value),
                    Poll::Pending => poll = Poll::Pending,
                }
            }
        }
        poll
    })
    .await;
    let mut values = Vec::new();
    for value in done {
        values.extend(value);
    }
    values
}
