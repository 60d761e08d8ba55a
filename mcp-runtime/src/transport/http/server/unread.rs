//! Bytes of answers that clients have not read yet.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

/// How often within the write timeout a connection looks for answers that do not move.
pub(in crate::transport::http) const LOOKS: u32 = 4;
/// More than the looks that an answer can see before its connection is closed.
const AGES: usize = 8;
/// The most that is handed to hyper at once, in bytes: with each piece, an answer has moved.
const PIECE: usize = 16 * 1024;

/// Unread bytes of all connections.
#[derive(Debug)]
pub(in crate::transport::http) struct Total {
    limit: usize,
    bytes: AtomicUsize,
    /// Notified when bytes are freed while the limit is reached.
    freed: Notify,
}

impl Total {
    pub(in crate::transport::http) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            bytes: AtomicUsize::new(0),
            freed: Notify::new(),
        })
    }
}

/// Unread bytes of one connection. They count from the moment at which an answer is there until
/// hyper has written it, or drops it with its stream.
#[derive(Debug)]
pub(in crate::transport) struct Unread {
    limit: usize,
    bytes: AtomicUsize,
    /// Notified when bytes are freed while the limit is reached.
    freed: Notify,
    total: Arc<Total>,
    /// Counts the looks for answers that do not move.
    age: AtomicUsize,
    /// The number of answers that moved last at each age, modulo `AGES`.
    moved: [AtomicUsize; AGES],
}

impl Unread {
    pub(in crate::transport::http) fn new(limit: usize, total: Arc<Total>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            bytes: AtomicUsize::new(0),
            freed: Notify::new(),
            total,
            age: AtomicUsize::new(0),
            moved: Default::default(),
        })
    }

    /// Counts `length` bytes until the guard is dropped.
    pub(in crate::transport::http) fn hold(self: &Arc<Self>, length: usize) -> Held {
        self.bytes.fetch_add(length, Ordering::AcqRel);
        self.total.bytes.fetch_add(length, Ordering::AcqRel);
        Held {
            unread: Arc::clone(self),
            length,
        }
    }

    /// The same for bytes that are handed to hyper.
    fn send(self: &Arc<Self>, length: usize) -> Sent {
        let age = self.age.load(Ordering::Relaxed) % AGES;
        self.moved[age].fetch_add(1, Ordering::Relaxed);
        Sent {
            held: self.hold(length),
            age: AtomicUsize::new(age),
        }
    }

    pub(in crate::transport::http) fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Acquire) < self.limit
            && self.total.bytes.load(Ordering::Acquire) < self.total.limit
    }

    /// Waits until both budgets have room.
    pub(in crate::transport::http) async fn room(&self) {
        while !self.has_room() {
            let (mut own, mut all) = (
                pin!(self.freed.notified()),
                pin!(self.total.freed.notified()),
            );
            own.as_mut().enable();
            all.as_mut().enable();
            if self.has_room() {
                return;
            }
            tokio::select! {
                () = own => {}
                () = all => {}
            }
        }
    }

    /// Waits until an answer has not moved for `timeout`, or at most a quarter of it longer.
    pub(in crate::transport::http) async fn stalled(&self, timeout: Duration) {
        loop {
            tokio::time::sleep(timeout / LOOKS).await;
            let age = self.age.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            let oldest = age.wrapping_sub(LOOKS as usize + 1) % AGES;
            if self.moved[oldest].load(Ordering::Relaxed) > 0 {
                return;
            }
        }
    }
}

/// Bytes that count as unread until this is dropped.
#[derive(Debug)]
pub(in crate::transport::http) struct Held {
    unread: Arc<Unread>,
    length: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        let Unread { limit, total, .. } = &*self.unread;
        if self.unread.bytes.fetch_sub(self.length, Ordering::AcqRel) >= *limit {
            self.unread.freed.notify_waiters();
        }
        if total.bytes.fetch_sub(self.length, Ordering::AcqRel) >= total.limit {
            total.freed.notify_waiters();
        }
    }
}

/// Bytes that hyper has, and the age at which they moved last.
struct Sent {
    held: Held,
    age: AtomicUsize,
}

impl Sent {
    /// Some of the bytes were taken.
    fn moved(&self) {
        let unread = &self.held.unread;
        let now = unread.age.load(Ordering::Relaxed) % AGES;
        let before = self.age.swap(now, Ordering::Relaxed);
        if before != now {
            unread.moved[now].fetch_add(1, Ordering::Relaxed);
            unread.moved[before].fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let age = self.age.load(Ordering::Relaxed);
        self.held.unread.moved[age].fetch_sub(1, Ordering::Relaxed);
    }
}

/// Bytes together with the guard that counts them.
struct Counted<G> {
    bytes: Bytes,
    _guard: G,
}

impl<G> AsRef<[u8]> for Counted<G> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn counted<G: Send + 'static>(bytes: Bytes, guard: G) -> Bytes {
    Bytes::from_owner(Counted {
        bytes,
        _guard: guard,
    })
}

/// Bytes on their way to hyper, piece by piece.
#[derive(Default)]
pub(in crate::transport::http) struct Pieces {
    rest: Bytes,
    /// Where there is more than one piece.
    sent: Option<Arc<Sent>>,
}

impl Pieces {
    /// Bytes that are not counted.
    pub(in crate::transport::http) fn uncounted(bytes: Bytes) -> Self {
        Self {
            rest: bytes,
            sent: None,
        }
    }

    /// Bytes that count as unread until hyper drops the last piece.
    pub(in crate::transport::http) fn counted(bytes: Bytes, unread: &Arc<Unread>) -> Self {
        let sent = unread.send(bytes.len());
        if bytes.len() <= PIECE {
            return Self::uncounted(counted(bytes, sent));
        }
        let sent = Arc::new(sent);
        Self {
            rest: counted(bytes, Arc::clone(&sent)),
            sent: Some(sent),
        }
    }

    /// Counts the bytes as unread of a connection.
    pub(in crate::transport::http) fn count(&mut self, unread: &Arc<Unread>) {
        if !self.is_empty() {
            *self = Self::counted(std::mem::take(&mut self.rest), unread);
        }
    }

    pub(in crate::transport::http) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(in crate::transport::http) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next piece.
    pub(in crate::transport::http) fn next(&mut self) -> Option<Bytes> {
        if let Some(sent) = &self.sent {
            sent.moved();
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

    fn unread(limit: usize, total: usize) -> Arc<Unread> {
        Unread::new(limit, Total::new(total))
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_count_until_the_last_piece_is_dropped() {
        let unread = unread(100, 1000);
        let mut answer = Pieces::counted(answer(PIECE * 2 + 1), &unread);
        let mut pieces: Vec<Bytes> = std::iter::from_fn(|| answer.next()).collect();
        let lengths: Vec<usize> = pieces.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [PIECE, PIECE, 1]);
        drop(answer);
        let last = pieces.pop();
        drop(pieces);
        assert!(!unread.has_room());
        let waits = tokio::join!(unread.room(), async { drop(last) });
        assert_eq!(waits, ((), ()));
        assert_eq!(unread.bytes.load(Ordering::Relaxed), 0);
        assert_eq!(unread.total.bytes.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn all_connections_together_are_limited() {
        let total = Total::new(10);
        let (one, other) = (
            Unread::new(100, Arc::clone(&total)),
            Unread::new(100, total),
        );
        let held = one.hold(10);
        assert!(!other.has_room());
        let waits = tokio::join!(other.room(), async { drop(held) });
        assert_eq!(waits, ((), ()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_answer_that_does_not_move_is_found() {
        let unread = unread(usize::MAX, usize::MAX);
        let start = Instant::now();
        let mut large = Pieces::counted(answer(PIECE * 100), &unread);
        let moving = async {
            for _ in 0..20 {
                tokio::time::sleep(TIMEOUT / 2).await;
                drop(large.next());
                drop(Pieces::counted(answer(1), &unread).next());
            }
        };
        tokio::select! {
            () = moving => {}
            () = unread.stalled(TIMEOUT) => panic!("it moves"),
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
