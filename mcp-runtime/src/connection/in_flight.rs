//! The requests of the peer that are being served, and the batches that they arrived in.

use mcp_types::jsonrpc::RequestId;
use tokio::task::AbortHandle;

/// The requests whose handlers are not done.
#[derive(Debug)]
pub(crate) struct InFlight<D> {
    /// The requests, sorted by their ids.
    requests: Vec<Request<D>>,
    last_serial: u64,
}

#[derive(Debug)]
pub(super) struct Request<D> {
    key: RequestKey,
    kind: HandlerKind,
    reply: ReplyTo<D>,
    /// The task of the handler; `None` until the handler has to wait.
    pub(super) task: Option<AbortHandle>,
}

/// Identifies a request in flight. A later request with the same id has a different key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestKey {
    pub(crate) id: RequestId,
    serial: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct ReplyTo<D> {
    pub(crate) to: D,
    pub(crate) batch: Option<BatchKey>,
}

/// The kind of a handler, by how long it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandlerKind {
    /// An ordinary request, which ends when its handler returns.
    Work,
    /// A subscription, which lasts until one side ends it.
    Open,
}

impl<D> InFlight<D> {
    pub(super) fn new() -> Self {
        Self {
            requests: Vec::new(),
            last_serial: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.place(id).is_ok()
    }

    pub(super) fn count(&self, kind: HandlerKind) -> usize {
        let requests = self.requests.iter();
        requests.filter(|request| request.kind == kind).count()
    }

    pub(crate) fn destinations(&self) -> impl Iterator<Item = &D> {
        self.requests.iter().map(|request| &request.reply.to)
    }

    /// Adds a request. Returns `None` if another request has the same id.
    pub(super) fn insert(
        &mut self,
        id: &RequestId,
        kind: HandlerKind,
        reply: ReplyTo<D>,
    ) -> Option<RequestKey> {
        let place = self.place(id).err()?;
        self.last_serial += 1;
        let key = RequestKey {
            id: id.clone(),
            serial: self.last_serial,
        };
        let request = Request {
            key: key.clone(),
            kind,
            reply,
            task: None,
        };
        self.requests.insert(place, request);
        Some(key)
    }

    pub(super) fn get_mut(&mut self, key: &RequestKey) -> Option<&mut Request<D>> {
        let place = self.place_of(key)?;
        Some(&mut self.requests[place])
    }

    pub(super) fn remove(&mut self, key: &RequestKey) -> Option<ReplyTo<D>> {
        let place = self.place_of(key)?;
        Some(self.requests.remove(place).reply)
    }

    /// Cancels a request by dropping its handler.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> Option<ReplyTo<D>> {
        let place = self.place(id).ok()?;
        Some(self.requests.remove(place).cancel())
    }

    pub(crate) fn cancel_all(&mut self) -> Vec<(RequestId, ReplyTo<D>)> {
        let requests = self.requests.drain(..);
        requests
            .map(|request| (request.key.id.clone(), request.cancel()))
            .collect()
    }

    /// Returns the index of the request `id`, or the index at which to insert it.
    fn place(&self, id: &RequestId) -> Result<usize, usize> {
        self.requests
            .binary_search_by(|request| request.key.id.cmp(id))
    }

    fn place_of(&self, key: &RequestKey) -> Option<usize> {
        let place = self.place(&key.id).ok()?;
        (self.requests[place].key.serial == key.serial).then_some(place)
    }
}

impl<D> Request<D> {
    fn cancel(self) -> ReplyTo<D> {
        if let Some(task) = self.task {
            task.abort();
        }
        self.reply
    }
}

/// Identifies a batch of requests, whose answers are sent together (2025-03-26 only).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchKey(u64);

/// The batches that are not answered yet.
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
    /// Begins a batch with this number of messages that need an answer, including invalid messages.
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

    pub(super) fn bytes(&self, key: BatchKey) -> usize {
        let batch = self.waiting.iter().find(|batch| batch.key == key);
        batch.map_or(0, |batch| batch.bytes.len())
    }

    /// Takes one answer, which is empty for a request without an answer. After the last answer,
    /// returns the whole batch, which is empty if all answers are empty.
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
        match bytes.len() {
            1 => bytes.clear(),
            _ => bytes.push(b']'),
        }
        Some(bytes)
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
    fn a_batch_that_was_cancelled_whole_is_empty() {
        let mut batches = Batches::default();
        let key = batches.begin(1);
        assert_eq!(batches.answer(key, b""), Some(Vec::new()));
    }

    #[test]
    fn a_key_names_one_request_even_if_its_id_is_used_again() {
        let mut in_flight = InFlight::new();
        let reply = || ReplyTo {
            to: (),
            batch: None,
        };
        let id = RequestId::Number(1);
        let first = in_flight.insert(&id, HandlerKind::Work, reply()).unwrap();
        assert!(in_flight.insert(&id, HandlerKind::Work, reply()).is_none());
        assert!(in_flight.cancel(&id).is_some());
        let second = in_flight.insert(&id, HandlerKind::Open, reply()).unwrap();
        assert!(in_flight.remove(&first).is_none());
        assert_eq!(in_flight.count(HandlerKind::Open), 1);
        assert!(in_flight.remove(&second).is_some());
        assert!(in_flight.is_empty());
        assert_eq!(in_flight.count(HandlerKind::Open), 0);
    }
}
