//! Requests whose answers leave together (2025-03-26 only).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::StatusCode;

use crate::transport::http::stream::Stream;

/// A batch on its way.
pub(in crate::transport::http) struct Batch {
    stream: Arc<Stream>,
    state: Mutex<Gathered>,
}

struct Gathered {
    unanswered: usize,
    /// `[` and the answers so far, separated by commas.
    bytes: Vec<u8>,
}

impl Batch {
    /// A batch with `requests` that want an answer, which goes to `stream`.
    pub(in crate::transport::http) fn new(stream: Arc<Stream>, requests: usize) -> Self {
        Self {
            stream,
            state: Mutex::new(Gathered {
                unanswered: requests,
                bytes: vec![b'['],
            }),
        }
    }

    pub(super) fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }

    /// The bytes of the answers so far.
    pub(in crate::transport::http) fn gathered(&self) -> usize {
        self.lock().bytes.len()
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one answer, or notes that there will be none. The last one completes the batch.
    pub(in crate::transport::http) fn answer(&self, message: Option<&[u8]>) {
        let mut state = self.lock();
        if let Some(message) = message {
            if state.bytes.len() > 1 {
                state.bytes.push(b',');
            }
            state.bytes.extend_from_slice(message);
        }
        state.unanswered -= 1;
        if state.unanswered > 0 {
            return;
        }
        let mut bytes = std::mem::take(&mut state.bytes);
        drop(state);
        if bytes.len() > 1 {
            bytes.push(b']');
            self.stream.answer(StatusCode::OK, bytes);
        } else {
            self.stream.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(requests: usize) -> (Arc<Stream>, Batch) {
        let stream = Arc::new(Stream::new(1, None));
        (Arc::clone(&stream), Batch::new(stream, requests))
    }

    #[test]
    fn answers_leave_together() {
        let (stream, batch) = batch(3);
        batch.answer(Some(b"1"));
        batch.answer(None);
        assert!(stream.is_untouched());
        batch.answer(Some(b"3"));
        let (_, message) = stream.take_lone_answer().unwrap();
        assert_eq!(message, b"[1,3]");
    }

    #[test]
    fn a_batch_without_answers_ends() {
        let (stream, batch) = batch(1);
        batch.answer(None);
        assert!(stream.take_lone_answer().is_none());
        assert!(!stream.push(Vec::new()), "the stream has ended");
    }
}
