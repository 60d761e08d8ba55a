//! Compares the core of a connection with a simple model, in random steps.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mcp_types::jsonrpc::{Message, RequestId, write::ErrorId};
use mcp_types::{RawJson, RawJsonRef};
use proptest::prelude::*;
use tokio::sync::oneshot;

use super::super::core::{Core, Limits, Member, Step};
use super::super::handler::{Role, Served};
use super::super::in_flight::{BatchKey, HandlerKind, ReplyTo, RequestKey};
use super::super::peer::{PendingCall, SendOptions, Waiter};
use crate::error::{CallError, RequestError};
use crate::protocol::Timeouts;

/// A role that answers all requests.
struct Anybody;

impl Role for Anybody {
    type Answer = RawJson;
    const IS_CLIENT: bool = false;

    fn request(&mut self, _: &RequestId, _: &str, _: Option<RawJsonRef<'_>>) -> Served<RawJson> {
        Served::Now(Ok(RawJson::empty_object()))
    }

    fn notification(&mut self, _: &str, _: Option<RawJsonRef<'_>>) {}

    fn accepts_batches(&self) -> Result<(), RequestError> {
        Ok(())
    }

    fn answers(&self) -> bool {
        true
    }

    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>> {
        id.map(ErrorId::Of)
    }

    fn shut_down(&mut self) {}

    fn terminate(&mut self) {}
}

/// An event of a random sequence. There are only a few ids, to make collisions likely.
#[derive(Clone, Debug)]
enum Event {
    Request(i64),
    Batch(Vec<i64>),
    /// The handler at this index, modulo the number of handlers, ends. The oldest has the index 0.
    End(usize),
    Cancel(i64),
    Send,
    Answer(i64),
    /// An answer whose id is a string.
    Malformed(i64),
    Abandon(i64),
    Pass(u64),
    Lose,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..5_i64).prop_map(Event::Request),
        1 => prop::collection::vec(0..5_i64, 1..4).prop_map(Event::Batch),
        4 => (0..5_usize).prop_map(Event::End),
        2 => (0..6_i64).prop_map(Event::Cancel),
        3 => Just(Event::Send),
        3 => (0..8_i64).prop_map(Event::Answer),
        1 => (0..8_i64).prop_map(Event::Malformed),
        1 => (0..8_i64).prop_map(Event::Abandon),
        1 => (0..90_u64).prop_map(Event::Pass),
        1 => Just(Event::Lose),
    ]
}

/// The core, and the model that predicts its behavior.
struct World {
    core: Core<Anybody, ()>,
    /// The running handlers, each with the number of its request.
    handlers: Vec<(RequestKey, u64)>,
    /// The numbers of the requests in flight, by their ids.
    in_flight: BTreeMap<i64, u64>,
    /// How often each request was answered or cancelled, by its number.
    settled: Vec<u32>,
    /// How many answers each batch waits for.
    batches: Vec<(BatchKey, usize)>,
    /// When the requests of this side expire, by their ids.
    calls: BTreeMap<i64, (oneshot::Receiver<Result<RawJson, CallError>>, Duration)>,
    next_call: i64,
    elapsed: Duration,
    is_over: bool,
}

const MAX: usize = 3;
const LIMIT: Duration = Duration::from_secs(60);

impl World {
    fn new() -> Self {
        let limits = Limits {
            max_in_flight: MAX,
            ..Limits::default()
        };
        Self {
            core: Core::new(Anybody, limits),
            handlers: Vec::new(),
            in_flight: BTreeMap::new(),
            settled: Vec::new(),
            batches: Vec::new(),
            calls: BTreeMap::new(),
            next_call: 0,
            elapsed: Duration::ZERO,
            is_over: false,
        }
    }

    async fn step(&mut self, event: Event) {
        match event {
            Event::Request(id) => self.request(id, None),
            Event::Batch(ids) => self.batch(&ids),
            Event::End(which) => self.end(which),
            Event::Cancel(id) => self.cancel(id),
            Event::Send => self.send(),
            Event::Answer(id) => self.answer(id, RequestId::Number(id), true),
            Event::Malformed(id) => {
                self.answer(id, RequestId::String(id.to_string().into()), false);
            }
            Event::Abandon(id) => {
                let cancels = self.core.abandon(id).is_some();
                assert_eq!(cancels, self.calls.remove(&id).is_some());
            }
            Event::Pass(seconds) => self.pass(Duration::from_secs(seconds)).await,
            Event::Lose => self.lose(),
        }
        self.check();
    }

    fn request(&mut self, id: i64, batch: Option<BatchKey>) {
        let number = self.settled.len() as u64;
        self.settled.push(0);
        let request = Message::Request {
            id: RequestId::Number(id),
            method: "tools/call".into(),
            params: None,
        };
        let reply = ReplyTo { to: (), batch };
        let is_known = self.in_flight.contains_key(&id);
        let answered = match self.core.message(Ok(request), batch) {
            Step::Answer(answer) => {
                assert!(is_known && !answer.is_empty());
                answer
            }
            Step::Request { id: named, .. } => {
                assert!(!is_known);
                match self.core.begin(&named, HandlerKind::Work, &reply) {
                    Ok(key) => {
                        assert!(!self.is_over && self.in_flight.len() < MAX);
                        self.in_flight.insert(id, number);
                        self.handlers.push((key, number));
                        return;
                    }
                    Err(error) => {
                        assert!(self.is_over || self.in_flight.len() == MAX, "{error}");
                        error.response(&named)
                    }
                }
            }
            _ => panic!("a request is answered or served"),
        };
        self.settle(number, &reply, answered);
    }

    /// Checks that each request is settled once, and that a batch is sent with its last answer.
    fn settle(&mut self, number: u64, reply: &ReplyTo<()>, answer: Vec<u8>) {
        self.settled[number as usize] += 1;
        let sent = self.core.answer(reply, answer);
        let Some(batch) = reply.batch else {
            assert!(sent.is_some());
            return;
        };
        let mut batches = self.batches.iter_mut();
        let (_, left) = batches.find(|(key, _)| *key == batch).unwrap();
        *left -= 1;
        assert_eq!(sent.is_some(), *left == 0);
    }

    fn batch(&mut self, ids: &[i64]) {
        let members: Vec<Member<'_>> = ids
            .iter()
            .map(|id| {
                Ok(Message::Request {
                    id: RequestId::Number(*id),
                    method: "tools/call".into(),
                    params: None,
                })
            })
            .collect();
        let Ok(Some(batch)) = self.core.batch(&members) else {
            panic!("a batch of requests is accepted");
        };
        self.batches.push((batch, ids.len()));
        for id in ids {
            self.request(*id, Some(batch));
        }
    }

    fn end(&mut self, which: usize) {
        if self.handlers.is_empty() {
            return;
        }
        let (key, number) = self.handlers.remove(which % self.handlers.len());
        let RequestId::Number(id) = key.id else {
            panic!("all ids are numbers");
        };
        let is_current = self.in_flight.get(&id) == Some(&number);
        match self.core.end(&key) {
            Some(reply) => {
                assert!(is_current);
                self.in_flight.remove(&id);
                self.settle(number, &reply, b"{}".to_vec());
            }
            // The request was cancelled, and its id may be in use again.
            None => assert!(!is_current),
        }
    }

    fn cancel(&mut self, id: i64) {
        let params = format!(r#"{{"requestId":{id}}}"#);
        let params = RawJson::from_text(params).unwrap();
        let notification = Message::Notification {
            method: "notifications/cancelled".into(),
            params: Some(params.as_raw()),
        };
        let cancelled = match self.core.message(Ok(notification), None) {
            Step::Cancelled(reply) => Some(reply),
            Step::CancelledUnknown(unknown) => {
                assert_eq!(unknown, RequestId::Number(id));
                None
            }
            _ => panic!("a cancellation is no request"),
        };
        let number = self.in_flight.remove(&id);
        assert_eq!(cancelled.is_some(), number.is_some());
        if let Some((reply, number)) = cancelled.zip(number) {
            self.settle(number, &reply, Vec::new());
        }
    }

    fn send(&mut self) {
        if self.is_over {
            return;
        }
        let (answer, answered) = oneshot::channel();
        let options = SendOptions::new("roots/list", Timeouts::within(LIMIT));
        let call = PendingCall {
            waiter: Waiter { options, answer },
            to: (),
            offset: 0,
        };
        self.core.sent(self.next_call, call);
        let end = self.elapsed + LIMIT;
        self.calls.insert(self.next_call, (answered, end));
        // Ids are reused once they are free, because answers may be late.
        self.next_call = (0..).find(|id| !self.calls.contains_key(id)).unwrap();
    }

    fn answer(&mut self, id: i64, named: RequestId, is_valid: bool) {
        let result = RawJson::empty_object();
        let response = Message::Response {
            id: Some(named),
            outcome: Ok(result.as_raw()),
        };
        assert!(matches!(self.core.message(Ok(response), None), Step::Done));
        if let Some((mut answered, _)) = self.calls.remove(&id) {
            let outcome = answered.try_recv().unwrap();
            assert_eq!(outcome.is_ok(), is_valid, "{outcome:?}");
        }
    }

    async fn pass(&mut self, time: Duration) {
        tokio::time::advance(time).await;
        self.elapsed += time;
        let expired = self.core.expire().len();
        let ended: BTreeSet<i64> = {
            let calls = self.calls.iter();
            let ended = calls.filter(|(_, (_, end))| *end <= self.elapsed);
            ended.map(|(id, _)| *id).collect()
        };
        assert_eq!(expired, ended.len());
        for id in ended {
            let (mut answered, _) = self.calls.remove(&id).unwrap();
            let outcome = answered.try_recv().unwrap();
            assert!(matches!(outcome, Err(CallError::Timeout { .. })));
        }
    }

    fn lose(&mut self) {
        self.is_over = true;
        for (id, reply) in self.core.terminate() {
            let RequestId::Number(id) = id else {
                panic!("all ids are numbers");
            };
            let number = self.in_flight.remove(&id).unwrap();
            self.settle(number, &reply, Vec::new());
        }
        self.core.fail_all(|_| CallError::Closed);
        for (_, (mut answered, _)) in std::mem::take(&mut self.calls) {
            assert!(answered.try_recv().unwrap().is_err());
        }
    }

    fn check(&mut self) {
        assert_eq!(
            self.core.in_flight.count(HandlerKind::Work),
            self.in_flight.len()
        );
        assert!(self.settled.iter().all(|times| *times <= 1));
        for (answered, _) in self.calls.values_mut() {
            assert!(answered.try_recv().is_err(), "an answer that no peer gave");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_is_left_and_each_request_is_settled_once(
        events in prop::collection::vec(event(), 1..60)
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            for event in events {
                world.step(event).await;
            }
            world.step(Event::Lose).await;
            while !world.handlers.is_empty() {
                world.end(0);
            }
            assert!(world.settled.iter().all(|times| *times == 1));
            assert!(world.in_flight.is_empty() && world.core.in_flight.is_empty());
            assert_eq!(world.core.pending.drain().count(), 0);
            assert!(world.batches.iter().all(|(_, left)| *left == 0));
        });
    }
}
