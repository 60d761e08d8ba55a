//! From frames to answers, without I/O.

use std::time::Instant;

use mcp_types::jsonrpc::{ErrorObject, Frame, Head, InvalidMessage, Message, RequestId};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, InitializeRequest, Notification,
    ProgressNotification, ProgressNotificationParams, RawJson, RawJsonRef, Request,
};

use super::answer::{Answer, answered};
use serde::Deserialize;

use super::batch::{BatchKey, Batches};
use super::in_flight::{Finished, InFlight, Kind};
use super::panic::contain;
use super::requested::Requested;
use super::response::{send_response, write_error, write_response};
use super::{BoxFuture, Command, Commands, Limits, Role, Served};
use crate::error::CallError;
use crate::error::RequestError;
use crate::protocol::Pending;
use crate::transport::{Incoming, Outbox};

/// The state of one connection, driven from outside.
pub(crate) struct Core<R: Role> {
    pub(super) role: R,
    pub(super) outbox: Outbox,
    pub(super) in_flight: InFlight<R::Answer>,
    batches: Batches,
    pub(super) pending: Pending<Requested>,
    pub(super) commands: Commands,
    /// What was asked for besides messages, and not done yet.
    pub(super) control: Vec<Command>,
    limits: Limits,
}

/// Tells the time to whom a deadline begins for. Nobody else asks: an answer costs 25 ns, one in
/// thirty that a small call takes among many.
pub(super) type Clock = fn() -> Instant;

impl<R: Role> Core<R> {
    pub(crate) fn new(role: R, commands: Commands, limits: Limits) -> Self {
        Self {
            role,
            outbox: Outbox::new(),
            in_flight: InFlight::new(),
            batches: Batches::default(),
            pending: Pending::new(),
            commands,
            control: Vec::new(),
            limits,
        }
    }

    /// Serves one frame.
    pub(super) fn incoming(&mut self, incoming: Incoming<'_>, now: Clock) {
        let frame = match incoming {
            Incoming::Failed { id, error } => return self.failed(&id, error),
            Incoming::Frame(bytes) => {
                let frame = Frame::parse_with_max_depth(bytes, self.limits.max_depth);
                if matches!(&frame, Err(invalid) if invalid.id.is_none() && !invalid.has_method) {
                    self.role.not_a_message(bytes);
                }
                frame
            }
            Incoming::TooLarge { head, tail, limit } => {
                too_large(Head::read(head).with_tail(tail), limit)
            }
        };
        self.role.heard();
        match frame {
            Ok(Frame::Single(message)) => self.message(message, None, now),
            Ok(Frame::Batch(members)) => self.batch(members, now),
            Err(invalid) => self.invalid(&invalid, None),
        }
    }

    fn message(&mut self, message: Message<'_>, batch: Option<BatchKey>, now: Clock) {
        match message {
            Message::Request { id, method, params } => {
                self.request(&id, &method, params, batch, now);
            }
            Message::Notification { method, params } => self.notification(&method, params, now),
            Message::Response { id, outcome } => self.answered(id.as_ref(), Ok(outcome)),
            Message::InvalidResponse { id, reason } => self.answered(id.as_ref(), Err(reason)),
        }
    }

    fn batch(&mut self, members: Vec<Result<Message<'_>, InvalidMessage>>, now: Clock) {
        if let Err(refusal) = self.role.accepts_batches() {
            return self.refused_batch(members, &refusal);
        }
        let wants_answer =
            |member: &&Result<_, _>| matches!(member, Ok(Message::Request { .. }) | Err(_));
        let key = self
            .batches
            .begin(members.iter().filter(wants_answer).count());
        for member in members {
            match member {
                Ok(Message::Request { id, method, .. }) if method == InitializeRequest::METHOD => {
                    let refusal =
                        RequestError::Batch("`initialize` can't be part of a batch".into());
                    self.respond(&id, Err(refusal.to_error()), Some(key), now);
                }
                Ok(message) => self.message(message, Some(key), now),
                Err(invalid) => self.invalid(&invalid, Some(key)),
            }
        }
    }

    /// Refuses a batch in a revision without batches. Responses in it fail their requests, and are
    /// not answered.
    fn refused_batch(
        &mut self,
        members: Vec<Result<Message<'_>, InvalidMessage>>,
        refusal: &RequestError,
    ) {
        let mut only_responses = true;
        for member in members {
            match member {
                Ok(Message::Response { id, .. } | Message::InvalidResponse { id, .. }) => {
                    self.answered(id.as_ref(), Err(refusal.to_string()));
                }
                Ok(_) | Err(_) => only_responses = false,
            }
        }
        if !only_responses {
            let (id, has_method, error) = (None, true, refusal.to_error());
            let invalid = InvalidMessage {
                id,
                has_method,
                error,
            };
            self.invalid(&invalid, None);
        }
    }

    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
        batch: Option<BatchKey>,
        now: Clock,
    ) {
        if !self.role.answers() {
            tracing::debug!(%id, method, "a request was ignored");
            return;
        }
        if self.in_flight.contains(id) {
            let error = RequestError::DuplicateId(id.clone()).to_error();
            return self.respond(id, Err(error), batch, now);
        }
        let served = contain(|| self.role.request(id, method, params));
        let outcome = match served {
            Ok(Served::Now(outcome)) => outcome,
            Err(panic) => Err(panic),
            Ok(Served::Later(future)) => match self.start(id, batch, Kind::Work, future) {
                Some(outcome) => outcome,
                None => {
                    if R::IS_CLIENT {
                        self.pending.hold(id, now(), |it| it.waiter.takes_input());
                    }
                    return;
                }
            },
            Ok(Served::Open(future)) => match self.start(id, batch, Kind::Open, future) {
                Some(outcome) => outcome,
                None => return,
            },
        };
        self.respond(id, outcome, batch, now);
    }

    /// Begins to serve a request that may have to wait, unless there are too many.
    fn start(
        &mut self,
        id: &RequestId,
        batch: Option<BatchKey>,
        kind: Kind,
        future: BoxFuture<Result<R::Answer, ErrorObject>>,
    ) -> Option<Result<R::Answer, ErrorObject>> {
        let Limits {
            max_in_flight,
            max_open,
            ..
        } = self.limits;
        let refusal = match kind {
            Kind::Work if self.in_flight.count(kind) >= max_in_flight => {
                RequestError::Busy(max_in_flight)
            }
            Kind::Open if self.in_flight.count(kind) >= max_open => {
                RequestError::TooManySubscriptions(max_open)
            }
            _ => return self.in_flight.start(id, batch, kind, future),
        };
        Some(Err(refusal.to_error()))
    }

    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>, now: Clock) {
        match method {
            CancelledNotification::METHOD => {
                let Some(id) = parsed::<CancelledNotificationParams>(params)
                    .and_then(|params| params.request_id)
                else {
                    return;
                };
                self.pending.release(&id, now);
                match self.in_flight.cancel(&id) {
                    Some(Some(batch)) => self.push_batch(batch, &[]),
                    Some(None) => {}
                    None => self.withdrawn(&id),
                }
            }
            ProgressNotification::METHOD => {
                if let Some(progress) = parsed::<ProgressNotificationParams>(params)
                    && let RequestId::Number(id) = progress.progress_token
                    && let Some(requested) = self.pending.progress(id, now())
                {
                    // A panic is logged; there is no one to answer.
                    let _ = contain(|| requested.waiter.progress(progress));
                }
                self.role.notification(method, params);
            }
            _ => self.role.notification(method, params),
        }
    }

    /// The peer ends what this side asked it to keep open, which counts as an answer.
    fn withdrawn(&mut self, id: &RequestId) {
        if let RequestId::Number(id) = id
            && let Some(requested) = self.pending.remove_if(*id, |it| it.waiter.is_open_end())
        {
            requested.waiter.finish(Ok(RawJson::empty_object()));
        }
    }

    fn answered(&mut self, id: Option<&RequestId>, answer: Answer<'_>) {
        answered(id, answer, |id| Some(self.pending.remove(id)?.waiter));
    }

    /// The transport has no answer to a request of this side.
    fn failed(&mut self, id: &RequestId, error: CallError) {
        if matches!(error, CallError::SessionEnded) {
            // Before the caller learns of it, who would send the request into the same session.
            self.role.shut_down();
        }
        if let RequestId::Number(id) = id
            && let Some(requested) = self.pending.remove(*id)
        {
            requested.waiter.finish(Err(error));
        }
    }

    /// Answers a request whose handler has finished.
    pub(super) fn finished(&mut self, done: (Finished<R::Answer>, Option<BatchKey>), now: Clock) {
        let (Finished { id, outcome }, batch) = done;
        self.pending.release(&id, now);
        self.respond(&id, outcome, batch, now);
    }

    fn respond(
        &mut self,
        id: &RequestId,
        outcome: Result<R::Answer, ErrorObject>,
        batch: Option<BatchKey>,
        now: Clock,
    ) {
        // What a handler has said goes before its answer.
        self.send_queued(now);
        match batch {
            Some(batch) => {
                let mut answer = Vec::new();
                write_response(&mut answer, id, &outcome);
                self.push_batch(batch, &answer);
            }
            None => send_response(&mut self.outbox, id, &outcome),
        }
    }

    /// Answers an invalid message, unless it is a response.
    fn invalid(&mut self, invalid: &InvalidMessage, batch: Option<BatchKey>) {
        tracing::debug!(%invalid, "a message was refused");
        let mut answer = Vec::new();
        if R::IS_CLIENT && !invalid.has_method {
            self.answered(invalid.id.as_ref(), Err(invalid.error.message.to_string()));
        } else if let Some(id) = self.role.error_id(invalid.id.as_ref()) {
            write_error(&mut answer, id, &invalid.error);
        }
        match batch {
            Some(batch) => self.push_batch(batch, &answer),
            None => self.push(&answer),
        }
    }

    pub(super) fn push(&mut self, message: &[u8]) {
        let Ok(()) = self.outbox.push(|out| {
            out.extend_from_slice(message);
            Ok::<_, std::convert::Infallible>(())
        });
    }

    fn push_batch(&mut self, key: BatchKey, answer: &[u8]) {
        if let Some(bytes) = self.batches.answer(key, answer) {
            self.push(&bytes);
        }
    }

    /// Sends all that this side has to say already.
    pub(super) fn send_queued(&mut self, now: Clock) {
        while let Some(command) = self.commands.try_recv() {
            self.send(command, now);
        }
    }

    /// Sends what this side has to say.
    pub(super) fn send(&mut self, command: Command, now: Clock) {
        match command {
            Command::Request {
                id,
                frame,
                timeouts,
                waiter,
            } => {
                let offset = self.outbox.sent_in_all() + self.outbox.len() as u64;
                let requested = Requested { waiter, offset };
                self.pending.insert(id, requested, timeouts, now());
                self.push(&frame);
            }
            Command::Notify { frame, .. } => self.push(&frame),
            Command::Abandon { id } => {
                if let Some(requested) = self.pending.remove(id) {
                    self.cancel_at_peer(id, &requested.waiter, "nobody waits for the answer");
                }
            }
            Command::ShutDown | Command::Abort => self.control.push(command),
        }
    }
}

/// A message that exceeds the size limit, of which only the ends are known.
fn too_large<'a>(head: Head, limit: usize) -> Result<Frame<'a>, InvalidMessage> {
    let refusal = RequestError::TooLarge(limit);
    if head.is_response() {
        let (id, reason) = (head.id, refusal.to_string());
        return Ok(Frame::Single(Message::InvalidResponse { id, reason }));
    }
    Err(InvalidMessage {
        id: head.id,
        has_method: head.has_method,
        error: refusal.to_error(),
    })
}

fn parsed<'a, T: Deserialize<'a>>(params: Option<RawJsonRef<'a>>) -> Option<T> {
    let parsed = params?.parse();
    parsed
        .inspect_err(|fault| tracing::debug!(%fault, "a malformed notification was ignored"))
        .ok()
}
