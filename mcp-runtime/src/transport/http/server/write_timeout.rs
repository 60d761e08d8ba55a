//! Write timeout of a stream of events: ends it when its client does not read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::AbortHandle;

use crate::transport::http::exchange::Work;
use crate::transport::http::stream::Stream;

/// Number of checks within the write timeout.
const CHECKS: u32 = 4;

/// A stream while its client reads it.
///
/// The body of a response is only polled when the client has read what came before. Where another
/// program owns the connection, nothing else shows that a client does not read. So a task checks
/// whether the body was polled; if it was not for the write timeout, the client is taken for lost,
/// as if the connection had been closed: the handler is dropped, and all else that is held for the
/// client.
pub(in crate::transport::http) struct Reading {
    kept: Arc<Kept>,
    watch: AbortHandle,
}

/// State shared with the task.
pub(in crate::transport::http) struct Kept {
    stream: Arc<Stream>,
    ticket: u64,
    /// Number of polls.
    asked: AtomicU64,
    /// Whether the last poll found nothing to send.
    waits: AtomicBool,
    holdings: Mutex<Holdings>,
}

#[derive(Default)]
pub(in crate::transport::http) struct Holdings {
    /// The handler, where no task drives it.
    pub(in crate::transport::http) work: Option<Work>,
    pub(in crate::transport::http) held: Option<Arc<dyn Send + Sync>>,
}

impl Reading {
    /// A reading of `stream` by the holder of `ticket`.
    pub(in crate::transport::http) fn new(
        stream: Arc<Stream>,
        ticket: u64,
        work: Option<Work>,
        timeout: Duration,
    ) -> Self {
        let holdings = Holdings { work, held: None };
        let kept = Arc::new(Kept {
            stream,
            ticket,
            asked: AtomicU64::new(0),
            waits: AtomicBool::new(false),
            holdings: Mutex::new(holdings),
        });
        let watch = tokio::spawn(watch(Arc::downgrade(&kept), timeout / CHECKS));
        Self {
            kept,
            watch: watch.abort_handle(),
        }
    }

    pub(in crate::transport::http) fn holdings(&self) -> MutexGuard<'_, Holdings> {
        self.kept.holdings()
    }

    /// Notes a poll of the body; `waits` if it found nothing to send.
    pub(in crate::transport::http) fn asked(&self, waits: bool) {
        self.kept.asked.fetch_add(1, Ordering::Relaxed);
        self.kept.waits.store(waits, Ordering::Relaxed);
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Kept {
    fn holdings(&self) -> MutexGuard<'_, Holdings> {
        self.holdings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the client has read everything.
    fn is_read(&self) -> bool {
        self.waits.load(Ordering::Relaxed) && !self.stream.is_unread(self.ticket)
    }

    fn give_up(&self) {
        tracing::debug!("a stream that nobody reads is given up");
        self.stream.detach(self.ticket);
        // Dropping may take long: not under the lock.
        let holdings = std::mem::take(&mut *self.holdings());
        drop(holdings);
    }
}

/// Ends a stream whose body was not polled for [`CHECKS`] periods.
async fn watch(kept: Weak<Kept>, period: Duration) {
    let (mut before, mut unread) = (0, 0);
    loop {
        tokio::time::sleep(period).await;
        let Some(kept) = kept.upgrade() else {
            return;
        };
        let asked = kept.asked.load(Ordering::Relaxed);
        if asked != before || kept.is_read() {
            (before, unread) = (asked, 0);
            continue;
        }
        unread += 1;
        if unread == CHECKS {
            return kept.give_up();
        }
    }
}
