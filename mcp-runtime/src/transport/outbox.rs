//! The bytes that wait to be sent.

/// Messages on their way out, each one line.
///
/// A writer takes bytes from the front while the driver appends whole lines at the back.
#[derive(Debug, Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
    sent_in_all: u64,
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

    /// Whether everything was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent == self.bytes.len()
    }

    /// How many bytes wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// How many bytes were sent since the outbox was made.
    pub(crate) fn sent_in_all(&self) -> u64 {
        self.sent_in_all
    }

    /// The bytes that wait: complete lines, the first of which may have been sent in part.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.sent..]
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
        let count = count.min(self.len());
        self.sent += count;
        self.sent_in_all += count as u64;
        if self.is_empty() {
            let kept = self.bytes.len().clamp(KEPT_CAPACITY, MOST_KEPT_CAPACITY);
            self.bytes.clear();
            self.bytes.shrink_to(kept);
            self.sent = 0;
        } else if self.sent >= self.len().max(KEPT_CAPACITY) {
            // A peer that always asks for more never lets it become empty. Each byte is moved at
            // most once.
            self.bytes.drain(..self.sent);
            self.sent = 0;
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

#[cfg(test)]
mod tests {
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

    #[test]
    fn nothing_written_is_no_line() {
        let mut outbox = Outbox::new();
        assert_eq!(outbox.push(|_| Err(7)), Err(7));
        outbox.push(|_| Ok::<_, ()>(())).unwrap();
        assert!(outbox.is_empty());
    }
}
