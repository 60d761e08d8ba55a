//! Who reads a stream of events, and for how long nobody may.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::AbortHandle;

use crate::transport::http::exchange::Work;
use crate::transport::http::stream::Stream;

/// How often a look is taken within the time that a client may leave a stream unread.
const CHECKS: u32 = 4;

/// The reading of a stream, up to its end: by who reads on, or because nobody does.
///
/// The body of a response is only asked for more when the client has read what came before. Where
/// another program owns the connection, nothing else tells that a client does not read. So a task
/// looks now and then whether the body has been asked; if it has not, the client is taken for lost,
/// as if the connection had been closed: the handler is dropped, and so is whatever else is kept
/// for the client.
pub(in crate::transport::http) struct Reading {
    kept: Arc<Kept>,
    watch: AbortHandle,
}

/// What lives as long as a stream is read.
pub(in crate::transport::http) struct Kept {
    stream: Arc<Stream>,
    ticket: u64,
    /// How often more was asked for.
    asked: AtomicU64,
    /// Whether everything was read when more was asked for last.
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
    /// A reading of `stream` by the holder of `ticket`, who may leave it unread for `patience`.
    pub(in crate::transport::http) fn new(
        stream: Arc<Stream>,
        ticket: u64,
        work: Option<Work>,
        patience: Duration,
    ) -> Self {
        let holdings = Holdings { work, held: None };
        let kept = Arc::new(Kept {
            stream,
            ticket,
            asked: AtomicU64::new(0),
            waits: AtomicBool::new(false),
            holdings: Mutex::new(holdings),
        });
        let watch = tokio::spawn(watch(Arc::downgrade(&kept), patience / CHECKS));
        Self {
            kept,
            watch: watch.abort_handle(),
        }
    }

    pub(in crate::transport::http) fn holdings(&self) -> MutexGuard<'_, Holdings> {
        self.kept.holdings()
    }

    /// More was asked for; there was none if the reader `waits` for it.
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

    /// Whether there is nothing that the client could have read.
    fn is_read(&self) -> bool {
        self.waits.load(Ordering::Relaxed) && !self.stream.is_unread(self.ticket)
    }

    fn give_up(&self) {
        tracing::debug!("a stream that nobody reads is given up");
        self.stream.detach(self.ticket);
        // What is dropped may have much to do.
        let holdings = std::mem::take(&mut *self.holdings());
        drop(holdings);
    }
}

/// Gives a stream up that was not read on for [`CHECKS`] periods.
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
