//! The buffer of messages that wait to be sent.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::IoSlice;
use std::mem;

use bytes::{Buf as _, Bytes};
use mcp_types::RequestId;
use mcp_types::jsonrpc::PreparedResult;

use super::Recorder;

/// The messages that wait to be sent, one per line.
///
/// The driver appends whole lines at the back, and a writer takes bytes from the front.
#[derive(Debug, Default)]
pub struct Outbox {
    /// The parts before `last`. They are never empty.
    parts: VecDeque<Bytes>,
    last: Vec<u8>,
    /// How many bytes of `last` were sent.
    sent: usize,
    sent_in_all: u64,
    shares: bool,
    recorder: Recorder,
}

/// The bytes of a prepared result's members, for `Bytes` to share.
struct Members(PreparedResult);

impl AsRef<[u8]> for Members {
    fn as_ref(&self) -> &[u8] {
        self.0.members().as_bytes()
    }
}

/// The size of the shortest prepared result that becomes a separate part instead of being copied.
const SHARED_BYTES: usize = 4 * 1024;

/// The capacity that is always kept between writes.
const KEPT_CAPACITY: usize = 64 * 1024;

/// The maximum capacity that is kept between writes, if the last write needed as much. For lists of
/// fifty tools, with sixteen requests in flight, allocating the memory again each time would make
/// the writes four times as expensive.
const MAX_KEPT_CAPACITY: usize = 1024 * 1024;

impl Outbox {
    /// Creates an empty outbox.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an outbox that passes each message to `recorder`.
    pub(crate) fn recorded(recorder: Recorder) -> Self {
        Self {
            recorder,
            ..Self::default()
        }
    }

    /// From now on, keeps references to long prepared results instead of copying them, unless they
    /// are recorded.
    ///
    /// Only for writers that take [`parts`](Self::parts), because [`bytes`](Self::bytes) may then
    /// end within a line.
    pub(crate) fn share(&mut self) {
        self.shares = true;
    }

    /// Returns true if everything was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        let parts: usize = self.parts.iter().map(Bytes::len).sum();
        parts + self.last.len() - self.sent
    }

    /// Returns the total number of bytes that were sent.
    pub(crate) fn sent_in_all(&self) -> u64 {
        self.sent_in_all
    }

    /// Returns the bytes that wait: complete lines, except that a part of the first line may
    /// already have been sent.
    ///
    /// If the writer [takes parts](super::FrameWriter::takes_parts), this is only the first part.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.parts.front().map_or(&self.last[self.sent..], |it| it)
    }

    /// Fills `parts` with the bytes that wait, in order, as far as there is room. Returns how many
    /// parts were filled.
    pub fn parts<'a>(&'a self, parts: &mut [IoSlice<'a>]) -> usize {
        let last = Some(&self.last[self.sent..]).filter(|last| !last.is_empty());
        let waiting = self.parts.iter().map(Bytes::as_ref).chain(last);
        let filled = parts.iter_mut().zip(waiting);
        filled
            .map(|(part, bytes)| *part = IoSlice::new(bytes))
            .count()
    }

    /// Returns the first line that waits, without its line break, for transports with their own
    /// framing.
    ///
    /// Remove the line with [`advance`](Self::advance)`(line.len() + 1)`.
    #[must_use]
    pub fn first_line(&self) -> Option<&[u8]> {
        let bytes = self.bytes();
        let end = memchr::memchr(b'\n', bytes)?;
        Some(&bytes[..end])
    }

    /// Removes `count` bytes from the front, or all bytes if there are fewer.
    pub fn advance(&mut self, count: usize) {
        let mut left = count.min(self.len());
        self.sent_in_all += left as u64;
        while let Some(first) = self.parts.front_mut() {
            let taken = left.min(first.len());
            first.advance(taken);
            left -= taken;
            if !first.is_empty() {
                return;
            }
            self.parts.pop_front();
        }
        self.sent += left;
        let waiting = self.last.len() - self.sent;
        if waiting == 0 {
            let kept = self.last.len().clamp(KEPT_CAPACITY, MAX_KEPT_CAPACITY);
            self.last.clear();
            self.last.shrink_to(kept);
            self.sent = 0;
        } else if self.sent >= waiting.max(KEPT_CAPACITY) {
            // If the peer always requests more, the outbox never becomes empty, so free the memory
            // of sent bytes. Each byte is moved at most once.
            self.last.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Appends one message. `write` must append the whole message without line breaks, or nothing.
    ///
    /// # Errors
    ///
    /// The error of `write`, which must then have appended nothing.
    pub fn push<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let before = self.last.len();
        write(&mut self.last)?;
        if self.last.len() > before {
            self.recorder.sent(&self.last[before..]);
            self.last.push(b'\n');
        }
        Ok(())
    }

    /// Appends the response to the request `id` with a prepared result. For `prefix`, see
    /// [`PreparedResult::write`].
    pub(crate) fn push_prepared(&mut self, id: &RequestId, prefix: &str, result: &PreparedResult) {
        let shares = self.shares && !self.recorder.is_recording();
        if !shares || result.members().len() < SHARED_BYTES {
            let Ok(()) = self.push(|out| {
                result.write(out, id, prefix);
                Ok::<_, Infallible>(())
            });
            return;
        }
        result.write_before(&mut self.last, id, prefix);
        let before = Bytes::from(mem::take(&mut self.last)).slice(mem::take(&mut self.sent)..);
        let members = Bytes::from_owner(Members(result.clone()));
        self.parts.extend([before, members]);
        self.last.extend_from_slice(b"}\n");
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{RawJson, Side, TextContent};

    use super::*;
    use crate::Recording;

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
            outbox.last.capacity()
        };
        assert!(send(10) <= KEPT_CAPACITY);
        assert!(send(10 * KEPT_CAPACITY) >= 10 * KEPT_CAPACITY);
        assert!(send(10) <= KEPT_CAPACITY);
        assert!(send(2 * MAX_KEPT_CAPACITY) <= MAX_KEPT_CAPACITY);
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
        assert!(outbox.last.len() < 2 * KEPT_CAPACITY);
    }

    /// Creates a result that is long enough to be a separate part.
    fn long() -> PreparedResult {
        PreparedResult::new(&TextContent::new("x".repeat(SHARED_BYTES))).unwrap()
    }

    /// Creates an outbox that shares, with two prepared results between other lines. Also returns
    /// all its bytes.
    fn sharing() -> (Outbox, Vec<u8>) {
        let result = long();
        let mut outbox = Outbox::new();
        outbox.share();
        push(&mut outbox, "first");
        let mut expected = b"first\n".to_vec();
        for id in 1..=2 {
            let id = RequestId::from(id);
            let prefix = r#"{"_meta":{}"#;
            outbox.push_prepared(&id, prefix, &result);
            result.write(&mut expected, &id, prefix);
            expected.push(b'\n');
        }
        push(&mut outbox, "last");
        expected.extend_from_slice(b"last\n");
        (outbox, expected)
    }

    /// Returns the number of parts of an outbox, and their joined bytes.
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
        assert!(outbox.last.len() < SHARED_BYTES);
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
            assert!(outbox.last.is_empty() && outbox.parts.is_empty());
        }
    }

    #[test]
    fn short_results_and_those_for_other_writers_are_copied() {
        let short = PreparedResult::new(&RawJson::empty_object()).unwrap();
        let id = RequestId::from(1);
        let mut outbox = Outbox::new();
        outbox.push_prepared(&id, "", &long());
        outbox.share();
        outbox.push_prepared(&id, "", &short);
        assert!(outbox.parts.is_empty());
        assert_eq!(outbox.bytes().iter().filter(|it| **it == b'\n').count(), 2);
    }

    #[test]
    fn what_is_between_the_parts_does_not_grow() {
        let (mut outbox, _) = sharing();
        for _ in 0..1000 {
            let before = outbox.len();
            outbox.push_prepared(&RequestId::from(1), "", &long());
            push(&mut outbox, &"x".repeat(1000));
            outbox.advance(outbox.len() - before);
        }
        assert!(outbox.last.len() < 2 * KEPT_CAPACITY);
        assert!(outbox.parts.len() < 8);
    }

    #[test]
    fn what_is_appended_is_recorded() {
        let recording = Recording::default();
        let mut outbox = Outbox::recorded(Recorder::new(Some(&recording), Side::Server));
        outbox.share();
        push(&mut outbox, "first");
        outbox.push_prepared(&RequestId::from(1), "", &long());
        let lines = recording.messages().into_iter();
        let lines: String = lines.map(|(_, message)| message + "\n").collect();
        assert_eq!(lines.as_bytes(), joined::<8>(&outbox).1);
    }

    #[test]
    fn an_empty_write_is_not_a_line() {
        let mut outbox = Outbox::new();
        assert_eq!(outbox.push(|_| Err(7)), Err(7));
        outbox.push(|_| Ok::<_, ()>(())).unwrap();
        assert!(outbox.is_empty());
    }
}
