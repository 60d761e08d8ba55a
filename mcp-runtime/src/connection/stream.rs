//! A connection over a stream, without the I/O: passes frames to the core, and messages of the core
//! to the outbox.

use std::convert::Infallible;
use std::time::Duration;

use mcp_types::jsonrpc::{ErrorObject, Frame, Head, InvalidMessage, RequestId};
use tokio::task::{JoinError, JoinSet};

use super::core::{Limits, Member, Step, too_large};
use super::handler::{Polled, contain, poll_once, response, send_response};
use super::in_flight::{BatchKey, ReplyTo, RequestKey};
use super::peer::PendingCall;
use super::{Command, Commands, Core, Incoming, Outbox, Recorder, Role};
use crate::error::CallError;

pub(super) struct StreamConnection<R: Role> {
    pub(super) core: Core<R, ()>,
    /// The tasks of the handlers that have to wait.
    pub(super) tasks: JoinSet<Finished<R::Answer>>,
    pub(super) outbox: Outbox,
    pub(super) commands: Commands,
    /// How long requests in flight may take to finish, if a command has requested the end of the
    /// connection.
    pub(super) requested_drain: Option<Duration>,
    recorder: Recorder,
}

type Finished<A> = (RequestKey, Result<A, ErrorObject>);

impl<R: Role> StreamConnection<R> {
    pub(super) fn new(role: R, commands: Commands, limits: Limits, recorder: Recorder) -> Self {
        Self {
            core: Core::new(role, limits),
            tasks: JoinSet::new(),
            outbox: Outbox::recorded(recorder.clone()),
            commands,
            requested_drain: None,
            recorder,
        }
    }

    pub(super) fn frame(&mut self, incoming: Incoming<'_>) {
        let bytes = match incoming {
            Incoming::Frame(bytes) => {
                self.recorder.received(bytes);
                bytes
            }
            Incoming::Failed { id, error } => return self.failed(&id, error),
            Incoming::Suspended { id, suspended } => return self.core.suspend(&id, suspended),
            Incoming::TooLarge { head, tail, limit } => {
                self.core.role.heard();
                let message = too_large(Head::read(head).with_tail(tail), limit);
                return self.message(message, None);
            }
        };
        self.core.role.heard();
        match Frame::parse_with_max_depth(bytes, self.core.limits.max_depth) {
            Ok(Frame::Single(message)) => self.message(Ok(message), None),
            Ok(Frame::Batch(members)) => self.batch(members),
            Err(invalid) => {
                if invalid.id.is_none() && !invalid.has_method {
                    self.core.role.not_a_message(bytes);
                }
                self.message(Err(invalid), None);
            }
        }
    }

    fn failed(&mut self, id: &RequestId, error: CallError) {
        if matches!(error, CallError::SessionEnded) {
            // Must come first: otherwise the caller would retry on the dead session.
            self.core.role.shut_down();
        }
        self.core.fail(id, error);
    }

    fn batch(&mut self, members: Vec<Member<'_>>) {
        match self.core.batch(&members) {
            Ok(batch) => {
                for member in members {
                    self.message(member, batch);
                }
            }
            Err(refused) if refused.only_responses => {}
            Err(refused) => {
                let id = None;
                let has_method = true;
                let error = refused.error.to_error();
                let invalid = InvalidMessage {
                    id,
                    has_method,
                    error,
                };
                self.message(Err(invalid), None);
            }
        }
    }

    fn message(&mut self, message: Member<'_>, batch: Option<BatchKey>) {
        let reply = ReplyTo { to: (), batch };
        match self.core.message(message, batch) {
            // On a stream, a cancellation can't overtake its request.
            Step::Done | Step::CancelledUnknown(_) => {}
            Step::Request { id, method, params } => {
                let served = contain(|| self.core.role.request(&id, &method, params));
                let polled = poll_once(served, |kind| self.core.begin(&id, kind, &reply));
                self.polled(&id, &reply, polled);
            }
            Step::Notification { method, params } => self.core.role.notification(&method, params),
            Step::Answer(answer) => self.answer(&reply, answer),
            Step::Cancelled(reply) => self.answer(&reply, Vec::new()),
        }
    }

    /// Answers a request if its handler is done, or else spawns the handler.
    fn polled(
        &mut self,
        id: &RequestId,
        reply: &ReplyTo<()>,
        polled: Polled<R::Answer, RequestKey>,
    ) {
        let outcome = match polled {
            Polled::Done(outcome, key) => {
                if let Some(key) = key {
                    self.core.end(&key);
                }
                outcome
            }
            Polled::Pending(handler, key) => {
                let finishing = key.clone();
                let task = self.tasks.spawn(async { (finishing, handler.await) });
                return self.core.waits(&key, task);
            }
            Polled::Refused(error) => Err(error.to_error()),
        };
        self.respond(id, reply, &outcome);
    }

    /// Answers the requests whose handlers are done.
    pub(super) fn take_finished(&mut self) {
        while let Some(finished) = self.tasks.try_join_next() {
            self.finished(finished);
        }
    }

    /// Answers the request of one handler, unless it was cancelled.
    pub(super) fn finished(&mut self, finished: Result<Finished<R::Answer>, JoinError>) {
        if let Ok((key, outcome)) = finished
            && let Some(reply) = self.core.end(&key)
        {
            self.respond(&key.id, &reply, &outcome);
        }
    }

    fn respond(
        &mut self,
        id: &RequestId,
        reply: &ReplyTo<()>,
        outcome: &Result<R::Answer, ErrorObject>,
    ) {
        // Messages that the handler has sent must precede its answer.
        self.send_queued();
        if reply.batch.is_none() {
            return send_response(&mut self.outbox, id, outcome);
        }
        self.answer(reply, response(id, outcome));
    }

    fn answer(&mut self, reply: &ReplyTo<()>, answer: Vec<u8>) {
        if let Some(message) = self.core.answer(reply, answer) {
            self.push(&message);
        }
    }

    fn push(&mut self, message: &[u8]) {
        let Ok(()) = self.outbox.push(|out| {
            out.extend_from_slice(message);
            Ok::<_, Infallible>(())
        });
    }

    pub(super) fn send_queued(&mut self) {
        while let Some(command) = self.commands.try_recv() {
            self.send(command);
        }
    }

    pub(super) fn send(&mut self, command: Command) {
        match command {
            Command::Request { id, frame, waiter } => {
                let offset = self.outbox.sent_in_all() + self.outbox.len() as u64;
                let to = ();
                self.core.sent(id, PendingCall { waiter, to, offset });
                self.push(&frame);
            }
            Command::Notify { frame, .. } => self.push(&frame),
            Command::Abandon { id } => {
                if let Some(((), frame)) = self.core.abandon(id) {
                    self.push(&frame);
                }
            }
            // A single connection has no load balancer.
            Command::NotReady => {}
            Command::ShutDown => {
                self.requested_drain.get_or_insert(self.core.limits.drain);
            }
            Command::Abort => self.requested_drain = Some(Duration::ZERO),
        }
    }

    pub(super) fn expire(&mut self) {
        for ((), frame) in self.core.expire() {
            self.push(&frame);
        }
    }

    pub(super) fn abandon_all(&mut self) {
        for ((), frame) in self.core.abandon_all() {
            self.push(&frame);
        }
    }
}
