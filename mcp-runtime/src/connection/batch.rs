//! Batches of requests, whose answers leave together (2025-03-26 only).

/// Which batch an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchKey(u64);

/// The batches that wait for answers.
#[derive(Debug, Default)]
pub(super) struct Batches {
    next: u64,
    waiting: Vec<Batch>,
}

#[derive(Debug)]
struct Batch {
    key: BatchKey,
    unanswered: usize,
    /// `[` and the answers so far, separated by commas.
    bytes: Vec<u8>,
}

impl Batches {
    /// Begins a batch of `requests` that want an answer, invalid members included.
    pub(super) fn begin(&mut self, requests: usize) -> BatchKey {
        let key = BatchKey(self.next);
        self.next += 1;
        self.waiting.push(Batch {
            key,
            unanswered: requests,
            bytes: vec![b'['],
        });
        key
    }

    /// Takes one answer, which is empty where there is nothing to say. Once it was the last one, the whole batch is given
    /// back, unless there is nothing to say.
    pub(super) fn answer(&mut self, key: BatchKey, answer: &[u8]) -> Option<Vec<u8>> {
        let place = self.waiting.iter().position(|batch| batch.key == key)?;
        let batch = &mut self.waiting[place];
        if batch.bytes.len() > 1 && !answer.is_empty() {
            batch.bytes.push(b',');
        }
        batch.bytes.extend_from_slice(answer);
        batch.unanswered -= 1;
        if batch.unanswered > 0 {
            return None;
        }
        let mut bytes = self.waiting.swap_remove(place).bytes;
        bytes.push(b']');
        (bytes.len() > 2).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_leave_together_and_cancelled_ones_are_missing() {
        let mut batches = Batches::default();
        let key = batches.begin(3);
        assert_eq!(batches.answer(key, b"1"), None);
        assert_eq!(batches.answer(key, b""), None);
        let whole = batches.answer(key, b"3");
        assert_eq!(whole.as_deref(), Some(&b"[1,3]"[..]));
        assert_eq!(batches.answer(key, b""), None);
    }

    #[test]
    fn a_batch_that_was_cancelled_whole_is_not_answered() {
        let mut batches = Batches::default();
        let key = batches.begin(1);
        assert_eq!(batches.answer(key, b""), None);
    }
}
