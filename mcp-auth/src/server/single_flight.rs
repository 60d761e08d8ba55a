//! Work that is done once for all requests that need its result at the same time.

use tokio::sync::watch;

/// Work under way, whose result everyone who holds this gets.
#[derive(Clone)]
pub(super) struct Flight<T>(watch::Receiver<Option<T>>);

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// Begins the work in a task of its own: it goes on when a request is given up, as others wait for
    /// it.
    pub(super) fn begin(work: impl Future<Output = T> + Send + 'static) -> Self {
        let (sender, result) = watch::channel(None);
        tokio::spawn(async move { sender.send_replace(Some(work.await)) });
        Self(result)
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.0.borrow().is_none() && self.0.has_changed().is_ok()
    }

    /// Waits for the result; none if the work has panicked.
    pub(super) async fn result(mut self) -> Option<T> {
        let result = self.0.wait_for(Option::is_some).await;
        result.ok()?.clone()
    }
}
