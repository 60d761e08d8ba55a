//! Counts the bytes of answers that clients have not read yet.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

/// How often within the write timeout the server checks whether a client reads its answers.
pub(crate) const CHECKS: u32 = 4;
/// More than the number of checks during which an answer can exist before its connection is closed.
const AGES: usize = 8;
/// The maximum number of bytes handed to hyper in one piece. An answer makes progress with each
/// piece.
const PIECE: usize = 16 * 1024;

/// A limit on unread bytes. Answers to calls that have already begun may use up to twice as much.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    limit: usize,
    bytes: AtomicUsize,
    /// Notified when bytes are freed while this limit, or the limit of a connection, is reached.
    freed: Notify,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Acquire) < self.limit
    }

    /// Returns true if an answer of `length` bytes stays within twice the limit, or no other answer
    /// is unread.
    fn takes(&self, length: usize) -> bool {
        let held = self.bytes.load(Ordering::Acquire);
        held == 0 || held.saturating_add(length) <= self.limit.saturating_mul(2)
    }

    /// Frees bytes, and returns true if the limit was reached before.
    fn free(&self, length: usize) -> bool {
        self.bytes.fetch_sub(length, Ordering::AcqRel) >= self.limit
    }
}

/// The unread bytes of one connection. The bytes of an answer count from the moment the answer
/// exists until hyper has written it, or drops it with its stream.
#[derive(Debug)]
pub(crate) struct Unread {
    own: Budget,
    /// The budget of all connections together.
    total: Arc<Budget>,
    /// The number of checks so far.
    age: AtomicUsize,
    /// The number of answers whose last progress was at each age, modulo `AGES`.
    progressed: [AtomicUsize; AGES],
}

impl Unread {
    pub(crate) fn new(limit: usize, total: Arc<Budget>) -> Arc<Self> {
        Arc::new(Self {
            own: Budget::new(limit),
            total,
            age: AtomicUsize::new(0),
            progressed: Default::default(),
        })
    }

    /// Counts `length` bytes until the returned guard is dropped.
    pub(crate) fn hold(self: &Arc<Self>, length: usize) -> Held {
        self.own.bytes.fetch_add(length, Ordering::AcqRel);
        self.total.bytes.fetch_add(length, Ordering::AcqRel);
        Held {
            unread: Arc::clone(self),
            length,
        }
    }

    /// Counts `length` bytes that are handed to hyper, and records their progress.
    fn send(self: &Arc<Self>, length: usize) -> Sent {
        let age = self.age.load(Ordering::Relaxed) % AGES;
        self.progressed[age].fetch_add(1, Ordering::Relaxed);
        Sent {
            held: self.hold(length),
            age: AtomicUsize::new(age),
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.own.has_room() && self.total.has_room()
    }

    /// Returns true if both budgets admit an answer of `length` bytes to a call that has begun.
    pub(crate) fn takes(&self, length: usize) -> bool {
        self.own.takes(length) && self.total.takes(length)
    }

    /// Waits until both budgets have room.
    pub(crate) async fn room(&self) {
        loop {
            let mut freed = pin!(self.total.freed.notified());
            freed.as_mut().enable();
            if self.has_room() {
                return;
            }
            freed.await;
        }
    }

    /// Waits until an answer has made no progress for `timeout`, or up to a quarter of it longer.
    pub(crate) async fn stalled(&self, timeout: Duration) {
        loop {
            tokio::time::sleep(timeout / CHECKS).await;
            let age = self.age.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            let oldest = age.wrapping_sub(CHECKS as usize + 1) % AGES;
            if self.progressed[oldest].load(Ordering::Relaxed) > 0 {
                return;
            }
        }
    }
}

/// A guard that counts bytes as unread until it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    unread: Arc<Unread>,
    length: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        let own = &self.unread.own;
        let total = &self.unread.total;
        if own.free(self.length) | total.free(self.length) {
            total.freed.notify_waiters();
        }
    }
}

/// Bytes that were handed to hyper, and the age of their last progress.
struct Sent {
    held: Held,
    age: AtomicUsize,
}

impl Sent {
    /// Records that hyper has taken some of the bytes.
    fn progress(&self) {
        let unread = &self.held.unread;
        let now = unread.age.load(Ordering::Relaxed) % AGES;
        let before = self.age.swap(now, Ordering::Relaxed);
        if before != now {
            unread.progressed[now].fetch_add(1, Ordering::Relaxed);
            unread.progressed[before].fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let age = self.age.load(Ordering::Relaxed);
        self.held.unread.progressed[age].fetch_sub(1, Ordering::Relaxed);
    }
}

/// Bytes with the guard that counts them.
struct Counted {
    bytes: Bytes,
    _sent: Arc<Sent>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes on their way to hyper, piece by piece.
#[derive(Default)]
pub(crate) struct Pieces {
    rest: Bytes,
    /// `None` if the bytes are not counted.
    sent: Option<Arc<Sent>>,
}

impl Pieces {
    pub(crate) fn uncounted(rest: Bytes) -> Self {
        Self { rest, sent: None }
    }

    /// Counts the bytes as unread until hyper drops the last piece. Does nothing if they are
    /// already counted.
    pub(crate) fn count(&mut self, unread: &Arc<Unread>) {
        if !self.is_empty() && self.sent.is_none() {
            let bytes = std::mem::take(&mut self.rest);
            let sent = self.sent.insert(Arc::new(unread.send(bytes.len())));
            let _sent = Arc::clone(sent);
            self.rest = Bytes::from_owner(Counted { bytes, _sent });
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.rest
    }

    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn next(&mut self) -> Option<Bytes> {
        if let Some(sent) = &self.sent {
            sent.progress();
        }
        if self.rest.len() > PIECE {
            return Some(self.rest.split_to(PIECE));
        }
        self.sent = None;
        let last = std::mem::take(&mut self.rest);
        (!last.is_empty()).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(60);

    fn answer(length: usize) -> Bytes {
        vec![b'x'; length].into()
    }

    fn shared(limit: usize) -> Arc<Budget> {
        Arc::new(Budget::new(limit))
    }

    fn counted(bytes: Bytes, unread: &Arc<Unread>) -> Pieces {
        let mut pieces = Pieces::uncounted(bytes);
        pieces.count(unread);
        pieces
    }

    fn unread(limit: usize, total: usize) -> Arc<Unread> {
        Unread::new(limit, shared(total))
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_count_until_the_last_piece_is_dropped() {
        let unread = unread(100, 1000);
        let mut answer = counted(answer(PIECE * 2 + 1), &unread);
        let mut pieces: Vec<Bytes> = std::iter::from_fn(|| answer.next()).collect();
        let lengths: Vec<usize> = pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [PIECE, PIECE, 1]);
        drop(answer);
        let last = pieces.pop();
        drop(pieces);
        assert!(!unread.has_room());
        let waits = tokio::join!(unread.room(), async { drop(last) });
        assert_eq!(waits, ((), ()));
        assert_eq!(unread.own.bytes.load(Ordering::Relaxed), 0);
        assert_eq!(unread.total.bytes.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn all_connections_together_are_limited() {
        let total = shared(10);
        let one = Unread::new(100, Arc::clone(&total));
        let other = Unread::new(100, total);
        let held = one.hold(10);
        assert!(!other.has_room());
        let waits = tokio::join!(other.room(), async { drop(held) });
        assert_eq!(waits, ((), ()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_answer_that_does_not_move_is_found() {
        let unread = unread(usize::MAX, usize::MAX);
        let start = Instant::now();
        let mut large = counted(answer(PIECE * 100), &unread);
        let moving = async {
            for _ in 0..20 {
                tokio::time::sleep(TIMEOUT / 2).await;
                drop(large.next());
                drop(counted(answer(1), &unread).next());
            }
        };
        tokio::select! {
            () = moving => {}
            () = unread.stalled(TIMEOUT) => panic!("the answer makes progress"),
        }
        assert_eq!(start.elapsed(), TIMEOUT * 10);
        unread.stalled(TIMEOUT).await;
        assert!(
            start.elapsed() <= TIMEOUT * 11 + TIMEOUT / 4,
            "{:?}",
            start.elapsed()
        );
        drop(large);
        let waits = tokio::time::timeout(TIMEOUT * 10, unread.stalled(TIMEOUT));
        assert!(waits.await.is_err(), "nothing is unread");
    }
}
