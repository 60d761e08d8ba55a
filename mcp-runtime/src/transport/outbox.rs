//! The bytes that wait to be sent.

#[cfg(feature = "server")]
mod prepared;

use std::collections::VecDeque;
use std::io::IoSlice;

use mcp_types::jsonrpc::PreparedResult;

/// Messages on their way out, each one line.
///
/// A writer takes bytes from the front while the driver appends whole lines at the back.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
    sent_in_all: u64,
    /// What stands between the bytes without being copied there.
    shared: VecDeque<Shared>,
    /// How much of it waits.
    shared_len: usize,
    shares: bool,
}

/// A part of a line that lies elsewhere.
#[derive(Debug)]
struct Shared {
    result: PreparedResult,
    /// How many of the outbox's own bytes come before it.
    at: usize,
    sent: usize,
}

impl Shared {
    fn waiting(&self) -> &[u8] {
        &self.result.members().as_bytes()[self.sent..]
    }
}

/// Capacity that is always kept between writes.
const KEPT_CAPACITY: usize = 64 * 1024;

/// Capacity that is kept at most, as long as so much is sent at a time. Lists of fifty tools, sixteen
/// of them in flight, cost four times as much where each batch gets its memory from the system anew.
const MOST_KEPT_CAPACITY: usize = 1024 * 1024;

impl Outbox {
    /// An empty outbox.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps long results that many get where they are, from here on.
    ///
    /// For writers that take [`parts`](Self::parts): lines are no longer whole in [`bytes`](Self::bytes).
    pub(crate) fn share(&mut self) {
        self.shares = true;
    }

    /// Whether everything was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() - self.sent + self.shared_len
    }

    /// How many bytes were sent since the outbox was made.
    pub(crate) fn sent_in_all(&self) -> u64 {
        self.sent_in_all
    }

    /// The bytes that wait: complete lines, the first of which may have been sent in part. For a
    /// writer that [takes parts](super::FrameWriter::takes_parts), the first part of them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self.shared.front() {
            None => &self.bytes[self.sent..],
            Some(first) if first.at > self.sent => &self.bytes[self.sent..first.at],
            Some(first) => first.waiting(),
        }
    }

    /// Whether what waits lies in one piece, [`bytes`](Self::bytes).
    pub(super) fn is_whole(&self) -> bool {
        self.shared.is_empty()
    }

    /// Fills `parts` with the bytes that wait, in their order and as far as there is room; returns
    /// how many it has filled.
    pub fn parts<'a>(&'a self, parts: &mut [IoSlice<'a>]) -> usize {
        let (mut filled, mut own) = (0, self.sent);
        for shared in &self.shared {
            if filled == parts.len() {
                return filled;
            }
            fill(parts, &mut filled, &self.bytes[own..shared.at]);
            fill(parts, &mut filled, shared.waiting());
            own = shared.at;
        }
        fill(parts, &mut filled, &self.bytes[own..]);
        filled
    }

    /// The first line that waits, without its line break. For transports that frame messages by
    /// themselves; remove it with [`advance`](Self::advance)`(line.len() + 1)`.
    #[must_use]
    pub fn first_line(&self) -> Option<&[u8]> {
        let bytes = self.bytes();
        let end = memchr::memchr(b'\n', bytes)?;
        Some(&bytes[..end])
    }

    /// Removes `count` bytes from the front; more than there are empties the outbox.
    pub fn advance(&mut self, count: usize) {
        let mut left = count.min(self.len());
        self.sent_in_all += left as u64;
        while !self.is_whole() && left > 0 {
            let count = left.min(self.bytes().len());
            self.advance_part(count);
            left -= count;
        }
        self.sent += left;
        let own = self.bytes.len() - self.sent;
        if self.is_empty() {
            let kept = self.bytes.len().clamp(KEPT_CAPACITY, MOST_KEPT_CAPACITY);
            self.bytes.clear();
            self.bytes.shrink_to(kept);
            self.sent = 0;
        } else if self.sent >= own.max(KEPT_CAPACITY) {
            // A peer that always asks for more never lets it become empty. Each byte is moved at
            // most once.
            self.bytes.drain(..self.sent);
            for shared in &mut self.shared {
                shared.at -= self.sent;
            }
            self.sent = 0;
        }
    }

    /// Removes `count` bytes of the first part.
    fn advance_part(&mut self, count: usize) {
        match self.shared.front_mut() {
            Some(first) if first.at == self.sent => {
                first.sent += count;
                self.shared_len -= count;
                if first.waiting().is_empty() {
                    self.shared.pop_front();
                }
            }
            _ => self.sent += count,
        }
    }

    /// Appends one message. `write` gets the buffer and must append a whole line or nothing.
    ///
    /// # Errors
    ///
    /// Whatever `write` fails with; nothing is appended then.
    pub fn push<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let before = self.bytes.len();
        write(&mut self.bytes)?;
        if self.bytes.len() > before {
            self.bytes.push(b'\n');
        }
        Ok(())
    }
}

/// Puts `bytes` into the next of `parts`, if there are any, and a part for them.
fn fill<'a>(parts: &mut [IoSlice<'a>], filled: &mut usize, bytes: &'a [u8]) {
    if !bytes.is_empty()
        && let Some(part) = parts.get_mut(*filled)
    {
        *part = IoSlice::new(bytes);
        *filled += 1;
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{RawJson, RequestId, TextContent};

    use super::prepared::SHARED_BYTES;
    use super::*;

    fn push(outbox: &mut Outbox, text: &str) {
        outbox
            .push(|bytes| {
                bytes.extend_from_slice(text.as_bytes());
                Ok::<_, ()>(())
            })
            .unwrap();
    }

    #[test]
    fn lines_leave_in_order_and_in_parts() {
        let mut outbox = Outbox::new();
        push(&mut outbox, "first");
        push(&mut outbox, "second");
        assert_eq!(outbox.bytes(), b"first\nsecond\n");
        outbox.advance(3);
        assert_eq!(outbox.bytes(), b"st\nsecond\n");
        outbox.advance(3);
        assert_eq!(outbox.first_line(), Some(&b"second"[..]));
        outbox.advance(7);
        assert!(outbox.is_empty());
        assert_eq!(outbox.first_line(), None);
    }

    #[test]
    fn memory_is_kept_while_so_much_is_sent_and_given_back_then() {
        let mut outbox = Outbox::new();
        let mut send = |bytes: usize| {
            push(&mut outbox, &"x".repeat(bytes));
            outbox.advance(usize::MAX);
            outbox.bytes.capacity()
        };
        assert!(send(10) <= KEPT_CAPACITY);
        assert!(send(10 * KEPT_CAPACITY) >= 10 * KEPT_CAPACITY);
        assert!(send(10) <= KEPT_CAPACITY);
        assert!(send(2 * MOST_KEPT_CAPACITY) <= MOST_KEPT_CAPACITY);
    }

    #[test]
    fn what_never_becomes_empty_does_not_grow() {
        let mut outbox = Outbox::new();
        push(&mut outbox, "first");
        for _ in 0..1000 {
            push(&mut outbox, &"x".repeat(1000));
            outbox.advance(1001);
            assert_eq!(outbox.len(), "first\n".len());
        }
        assert!(outbox.bytes().ends_with(b"x\n"));
        assert!(outbox.bytes.len() < 2 * KEPT_CAPACITY);
    }

    /// An outbox that shares, with a prepared result between two lines of its own; and all it has.
    fn sharing() -> (Outbox, Vec<u8>) {
        let text = "x".repeat(SHARED_BYTES);
        let result = PreparedResult::new(&TextContent::new(text)).unwrap();
        let mut outbox = Outbox::new();
        outbox.share();
        push(&mut outbox, "first");
        let mut expected = b"first\n".to_vec();
        for id in 1..=2 {
            let (id, prefix) = (RequestId::from(id), r#"{"_meta":{}"#);
            outbox.push_prepared(&id, prefix, &result);
            result.write(&mut expected, &id, prefix);
            expected.push(b'\n');
        }
        push(&mut outbox, "last");
        expected.extend_from_slice(b"last\n");
        (outbox, expected)
    }

    /// How many parts an outbox has, and what they say.
    fn joined<const PARTS: usize>(outbox: &Outbox) -> (usize, Vec<u8>) {
        let mut parts = [IoSlice::new(&[]); PARTS];
        let filled = outbox.parts(&mut parts);
        (
            filled,
            parts.iter().flat_map(|part| part.to_vec()).collect(),
        )
    }

    #[test]
    fn long_prepared_results_are_parts_of_their_own() {
        let (outbox, expected) = sharing();
        assert!(outbox.bytes.len() < SHARED_BYTES);
        assert_eq!(outbox.len(), expected.len());
        assert_eq!(joined::<8>(&outbox), (5, expected.clone()));
        let (filled, beginning) = joined::<2>(&outbox);
        assert_eq!(filled, 2);
        assert!(expected.starts_with(&beginning));
    }

    #[test]
    fn parts_leave_in_order_however_they_are_cut() {
        for step in [1, 7, SHARED_BYTES, SHARED_BYTES + 100, usize::MAX] {
            let (mut outbox, expected) = sharing();
            let mut sent = Vec::new();
            while !outbox.is_empty() {
                let (_, waiting) = joined::<3>(&outbox);
                assert!(waiting.starts_with(outbox.bytes()));
                let count = waiting.len().min(step);
                sent.extend_from_slice(&waiting[..count]);
                outbox.advance(count);
                assert_eq!(outbox.len(), expected.len() - sent.len());
            }
            assert_eq!(sent, expected);
            assert!(outbox.bytes.is_empty() && outbox.shared.is_empty());
        }
    }

    #[test]
    fn short_results_and_those_for_other_writers_are_copied() {
        let (sharing, _) = sharing();
        let long = &sharing.shared[0].result;
        let short = PreparedResult::new(&RawJson::empty_object()).unwrap();
        let id = RequestId::from(1);
        let mut outbox = Outbox::new();
        outbox.push_prepared(&id, "", long);
        outbox.share();
        outbox.push_prepared(&id, "", &short);
        assert!(outbox.shared.is_empty());
        assert_eq!(outbox.bytes().iter().filter(|it| **it == b'\n').count(), 2);
    }

    #[test]
    fn what_is_between_the_parts_does_not_grow() {
        let (mut outbox, _) = sharing();
        for _ in 0..1000 {
            let result = outbox.shared[0].result.clone();
            let before = outbox.len();
            outbox.push_prepared(&RequestId::from(1), "", &result);
            push(&mut outbox, &"x".repeat(1000));
            outbox.advance(outbox.len() - before);
        }
        assert!(outbox.bytes.len() < 2 * KEPT_CAPACITY);
        assert!(outbox.shared.len() < 5);
    }

    #[test]
    fn nothing_written_is_no_line() {
        let mut outbox = Outbox::new();
        assert_eq!(outbox.push(|_| Err(7)), Err(7));
        outbox.push(|_| Ok::<_, ()>(())).unwrap();
        assert!(outbox.is_empty());
    }
}
