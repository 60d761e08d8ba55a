//! Several futures at once.

use std::future::poll_fn;
use std::task::Poll;

use crate::driver::BoxFuture;

/// Waits for all of `futures`; what they came to is in the same order.
pub(crate) async fn all<T>(futures: Vec<BoxFuture<T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (future, None)).collect();
    poll_fn(|task| {
        for (future, done) in &mut futures {
            if done.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(task)
            {
                *done = Some(value);
            }
        }
        match futures.iter().all(|(_, done)| done.is_some()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    futures.into_iter().filter_map(|(_, done)| done).collect()
}
