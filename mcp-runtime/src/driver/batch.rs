//! Batches of requests, whose answers leave together (2025-03-26 only).

use std::collections::HashMap;

/// Which batch an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct BatchKey(u64);

/// The batches that wait for answers.
#[derive(Debug, Default)]
pub(super) struct Batches {
    next: u64,
    waiting: HashMap<BatchKey, Batch>,
}

#[derive(Debug)]
struct Batch {
    unanswered: usize,
    /// `[` and the answers so far, separated by commas.
    bytes: Vec<u8>,
}

impl Batches {
    /// Begins a batch of `requests` that want an answer, invalid members included.
    pub(super) fn begin(&mut self, requests: usize) -> BatchKey {
        let key = BatchKey(self.next);
        self.next += 1;
        let batch = Batch {
            unanswered: requests,
            bytes: vec![b'['],
        };
        self.waiting.insert(key, batch);
        key
    }

    /// Takes one answer, written by `write`. Once it was the last one, the whole batch is given
    /// back, unless there is nothing to say.
    pub(super) fn answer(
        &mut self,
        key: BatchKey,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Option<Vec<u8>> {
        let batch = self.waiting.get_mut(&key)?;
        if batch.bytes.len() > 1 {
            batch.bytes.push(b',');
        }
        let before = batch.bytes.len();
        write(&mut batch.bytes);
        if batch.bytes.len() == before && before > 1 {
            batch.bytes.pop();
        }
        batch.unanswered -= 1;
        if batch.unanswered > 0 {
            return None;
        }
        let mut bytes = self.waiting.remove(&key)?.bytes;
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
        assert_eq!(batches.answer(key, |out| out.push(b'1')), None);
        assert_eq!(batches.answer(key, |_| ()), None);
        let whole = batches.answer(key, |out| out.push(b'3'));
        assert_eq!(whole.as_deref(), Some(&b"[1,3]"[..]));
        assert_eq!(batches.answer(key, |_| ()), None);
    }

    #[test]
    fn a_batch_that_was_cancelled_whole_is_not_answered() {
        let mut batches = Batches::default();
        let key = batches.begin(1);
        assert_eq!(batches.answer(key, |_| ()), None);
    }
}
