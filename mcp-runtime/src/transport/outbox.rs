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

/// Capacity that is kept between writes; a larger buffer, left by a large message, is given back.
const KEPT_CAPACITY: usize = 64 * 1024;

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
            self.bytes.clear();
            self.bytes.shrink_to(KEPT_CAPACITY);
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
    fn nothing_written_is_no_line() {
        let mut outbox = Outbox::new();
        assert_eq!(outbox.push(|_| Err(7)), Err(7));
        outbox.push(|_| Ok::<_, ()>(())).unwrap();
        assert!(outbox.is_empty());
    }
}
