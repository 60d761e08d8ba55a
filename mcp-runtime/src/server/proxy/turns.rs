//! Whose turn it is to call, where calls of several callers must not meet.

use std::pin::pin;

use tokio::sync::{Mutex, Notify};

/// Lets callers in one after the other, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Held by whoever is next: the others line up behind.
    door: Mutex<()>,
    left: Notify,
}

impl Turns {
    /// Waits until all who came before have entered, and then until `enter` gives something back; it
    /// is tried again whenever somebody has [left](Self::leave).
    pub(super) async fn enter<T>(&self, mut enter: impl FnMut() -> Option<T>) -> T {
        let _next = self.door.lock().await;
        loop {
            let mut left = pin!(self.left.notified());
            left.as_mut().enable();
            if let Some(entered) = enter() {
                return entered;
            }
            left.await;
        }
    }

    pub(super) fn leave(&self) {
        self.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::task::Poll;

    use super::*;

    #[tokio::test]
    async fn who_came_later_does_not_overtake() {
        let (turns, free) = (Turns::default(), Cell::new(false));
        let mut first = pin!(turns.enter(|| free.get().then_some(1)));
        let mut second = pin!(turns.enter(|| Some(2)));
        poll_fn(|cx| {
            assert!(first.as_mut().poll(cx).is_pending());
            assert!(second.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        free.set(true);
        turns.leave();
        assert_eq!(first.await, 1);
        assert_eq!(second.await, 2);
    }

    #[tokio::test]
    async fn who_gives_up_is_not_waited_for() {
        let turns = Turns::default();
        {
            let mut never = pin!(turns.enter(|| None::<()>));
            poll_fn(|cx| {
                assert!(never.as_mut().poll(cx).is_pending());
                Poll::Ready(())
            })
            .await;
        }
        assert_eq!(turns.enter(|| Some(2)).await, 2);
    }
}
