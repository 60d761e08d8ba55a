//! The state of one connection, without I/O.
//!
//! The owner of the connection passes in messages of the peer, and gets a [`Step`] that says what
//! to do. `D` is a destination: where to send the answer to a request, or where an own request was
//! sent. Handlers never run inside the core, so an owner can keep the core behind a lock.

use std::borrow::Cow;
use std::time::Duration;

use mcp_types::jsonrpc::{Head, InvalidMessage, Message, RequestId, write};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, InitializeRequest, Notification,
    ProgressNotification, ProgressNotificationParams, RawJson, RawJsonRef, Request, Revision,
    methods,
};
use serde::de::DeserializeOwned;
use tokio::task::AbortHandle;

use super::handler::contain;
use super::in_flight::{BatchKey, Batches, HandlerKind, InFlight, ReplyTo, RequestKey};
use super::peer::{Addressed, PeerResponse, PendingCall};
use super::{Role, now};
use crate::error::{CallError, RequestError, ServeError};
use crate::limits::{
    ANSWER_IDLE_TIMEOUT, DRAIN_TIMEOUT, MAX_DEPTH, MAX_IN_FLIGHT, MAX_OPEN, WRITE_TIMEOUT,
};
use crate::protocol::{LifecycleState, Pending, Timeouts};

pub(crate) struct Core<R: Role, D> {
    pub(crate) role: R,
    /// The requests of the peer.
    pub(crate) in_flight: InFlight<D>,
    batches: Batches,
    /// The requests to the peer.
    pub(crate) pending: Pending<PendingCall<D>>,
    pub(super) limits: Limits,
    /// True if the connection has ended, so no new handlers may begin.
    pub(crate) terminated: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many requests of the peer are served at the same time, without subscriptions.
    pub(crate) max_in_flight: usize,
    /// How many subscriptions of the peer are open at the same time.
    pub(crate) max_open: usize,
    pub(crate) max_depth: usize,
    /// The size in bytes of the answers to one batch. Beyond it, the other requests are refused.
    pub(crate) max_batch_bytes: usize,
    /// How long handlers may continue when the connection ends.
    pub(crate) drain: Duration,
    /// How long the peer may leave messages unread.
    pub(crate) write: Duration,
}

/// The nesting depth of `initialize`: the message, its parameters and the capabilities.
const MIN_DEPTH: usize = 3;

impl Limits {
    /// Checks the limits that can be set.
    ///
    /// # Errors
    ///
    /// [`ServeError::Setting`] with the first limit that can never work.
    pub(crate) fn check(&self) -> Result<(), ServeError> {
        ServeError::check([
            ("write_timeout", self.write.is_zero()),
            ("max_in_flight", self.max_in_flight == 0),
            ("max_depth", self.max_depth < MIN_DEPTH),
        ])
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_in_flight: MAX_IN_FLIGHT,
            max_open: MAX_OPEN,
            max_depth: MAX_DEPTH,
            max_batch_bytes: usize::MAX,
            drain: DRAIN_TIMEOUT,
            write: WRITE_TIMEOUT,
        }
    }
}

pub(crate) type Member<'a> = Result<Message<'a>, InvalidMessage>;

/// The action that a message requires of the owner of the connection.
pub(crate) enum Step<'a, D> {
    Done,
    /// Run the handler of a request. If the handler may have to wait, [begin](Core::begin) it
    /// first.
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Option<RawJsonRef<'a>>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<RawJsonRef<'a>>,
    },
    /// Answer the message with these bytes. If they are empty, the message has no answer.
    Answer(Vec<u8>),
    /// Record that a request gets no answer, because its handler was dropped.
    Cancelled(ReplyTo<D>),
    /// Ignore the cancellation of a request that is not in flight. Owners that receive messages out
    /// of order must remember it, because it may have overtaken the request.
    CancelledUnknown(RequestId),
}

/// A batch that was refused, because the revision does not have batches.
pub(crate) struct RefusedBatch {
    pub(crate) error: RequestError,
    /// True if the batch has only responses. On a stream, such a batch is not answered.
    pub(crate) only_responses: bool,
}

impl<R: Role, D: Clone> Core<R, D> {
    pub(crate) fn new(role: R, limits: Limits) -> Self {
        Self {
            role,
            in_flight: InFlight::new(),
            batches: Batches::default(),
            pending: Pending::new(),
            limits,
            terminated: false,
        }
    }

    /// Begins a batch. Returns `None` if no message in the batch needs an answer.
    ///
    /// # Errors
    ///
    /// When the revision does not have batches. The requests that the batch
    /// answers have then failed.
    pub(crate) fn batch(
        &mut self,
        members: &[Member<'_>],
    ) -> Result<Option<BatchKey>, RefusedBatch> {
        let Err(error) = self.role.accepts_batches() else {
            let wants_answer =
                |member: &&Member<'_>| matches!(member, Ok(Message::Request { .. }) | Err(_));
            let requests = members.iter().filter(wants_answer).count();
            return Ok((requests > 0).then(|| self.batches.begin(requests)));
        };
        let mut only_responses = true;
        for member in members {
            if let Ok(Message::Response { id, .. } | Message::InvalidResponse { id, .. }) = member {
                self.answered(id.as_ref(), Err(error.to_string()));
            } else {
                only_responses = false;
            }
        }
        Err(RefusedBatch {
            error,
            only_responses,
        })
    }

    pub(crate) fn message<'a>(
        &mut self,
        message: Member<'a>,
        batch: Option<BatchKey>,
    ) -> Step<'a, D> {
        match message {
            Ok(Message::Request { id, method, params }) => {
                if !self.role.answers() {
                    tracing::debug!(%id, %method, "a request was ignored");
                    return Step::Answer(Vec::new());
                }
                match self.check(&id, &method, batch) {
                    Ok(()) => Step::Request { id, method, params },
                    Err(error) => Step::Answer(error.response(&id)),
                }
            }
            Ok(Message::Notification { method, params }) => self.notification(method, params),
            Ok(Message::Response { id, outcome }) => {
                self.answered(id.as_ref(), Ok(outcome));
                Step::Done
            }
            Ok(Message::InvalidResponse { id, reason }) => {
                self.answered(id.as_ref(), Err(reason));
                Step::Done
            }
            Err(invalid) => Step::Answer(self.invalid(&invalid)),
        }
    }

    fn check(
        &self,
        id: &RequestId,
        method: &str,
        batch: Option<BatchKey>,
    ) -> Result<(), RequestError> {
        let limit = self.limits.max_batch_bytes;
        if self.in_flight.contains(id) {
            return Err(RequestError::DuplicateId(id.clone()));
        }
        match batch {
            Some(_) if method == InitializeRequest::METHOD => Err(RequestError::InitializeInBatch),
            Some(batch) if self.batches.bytes(batch) > limit => {
                Err(RequestError::BatchTooLarge(limit))
            }
            _ => Ok(()),
        }
    }

    fn notification<'a>(
        &mut self,
        method: Cow<'a, str>,
        params: Option<RawJsonRef<'a>>,
    ) -> Step<'a, D> {
        if method == CancelledNotification::METHOD {
            let cancelled =
                parsed::<CancelledNotificationParams>(params, "CancelledNotificationParams");
            let id = cancelled.and_then(|params| params.request_id);
            return id.map_or(Step::Done, |id| self.cancelled(id));
        }
        if method == ProgressNotification::METHOD
            && let Some(progress) =
                parsed::<ProgressNotificationParams>(params, "ProgressNotificationParams")
            && let RequestId::Number(id) = progress.progress_token
            && let Some(requested) = self.pending.progress(id, now())
            && let Some(on_progress) = &requested.waiter.options.progress
        {
            // `contain` logs a panic. A notification has no answer that could report it.
            let _ = contain(|| on_progress(progress));
        }
        Step::Notification { method, params }
    }

    fn cancelled(&mut self, id: RequestId) -> Step<'static, D> {
        self.pending.release(&id, now);
        if let Some(reply) = self.in_flight.cancel(&id) {
            return Step::Cancelled(reply);
        }
        // The peer ends a subscription of this side, which is the answer to the request: a
        // subscription lasts until one of both sides cancels it (2026-07-28, "Cancellation").
        let is_open =
            |it: &PendingCall<D>| it.waiter.options.method == methods::SUBSCRIPTIONS_LISTEN;
        if let RequestId::Number(id) = id
            && let Some(requested) = self.pending.remove_if(id, is_open)
        {
            requested.waiter.finish(Ok(RawJson::empty_object()));
        }
        Step::CancelledUnknown(id)
    }

    /// Returns the answer to an invalid message. It is empty if the message is not answered.
    fn invalid(&mut self, invalid: &InvalidMessage) -> Vec<u8> {
        tracing::debug!(%invalid, "a message was refused");
        let mut answer = Vec::new();
        if R::IS_CLIENT && !invalid.has_method {
            self.answered(invalid.id.as_ref(), Err(invalid.error.message.to_string()));
        } else if let Some(id) = self.role.error_id(invalid.id.as_ref()) {
            write::error(&mut answer, id, &invalid.error);
        }
        answer
    }

    /// Passes a response on to its request. A malformed response fails the request, and a response
    /// to an unknown request is ignored.
    pub(crate) fn answered(&mut self, id: Option<&RequestId>, answer: PeerResponse<'_>) {
        // The ids of this side's requests are numbers, so the peer has changed an id that is a
        // string.
        let (number, answer) = match id {
            Some(RequestId::Number(id)) => (Some(*id), answer),
            Some(RequestId::String(id)) => {
                let reason =
                    format!("`id` is the string \"{id}\" instead of the number that was sent");
                (id.parse().ok(), Err(reason))
            }
            None => (None, answer),
        };
        match (number.and_then(|id| self.pending.remove(id)), answer) {
            (Some(call), Ok(outcome)) => {
                let outcome = outcome.map(RawJson::from).map_err(CallError::Rpc);
                call.waiter.finish(outcome);
            }
            (Some(call), Err(reason)) => {
                let method = call.waiter.options.method.to_string();
                call.waiter
                    .finish(Err(CallError::Malformed { method, reason }));
            }
            (None, Ok(_)) => tracing::debug!(?id, "ignoring a response to an unknown request"),
            (None, Err(reason)) => tracing::debug!(?id, reason, "ignoring a malformed response"),
        }
    }

    /// Returns whether an answer, a cancellation or a report of progress concerns a request that is
    /// known here; `None` for other messages.
    pub(crate) fn concerns(&self, message: &Message<'_>) -> Option<bool> {
        let is_pending = |id: &RequestId| match id {
            RequestId::Number(id) => self.pending.contains(*id),
            RequestId::String(id) => id.parse().is_ok_and(|id| self.pending.contains(id)),
        };
        match message {
            Message::Response { id, .. } | Message::InvalidResponse { id, .. } => {
                id.as_ref().map(is_pending)
            }
            Message::Notification { method, params } => match &**method {
                CancelledNotification::METHOD => {
                    let name = "CancelledNotificationParams";
                    let params = parsed::<CancelledNotificationParams>(*params, name)?;
                    Some(self.in_flight.contains(&params.request_id?))
                }
                ProgressNotification::METHOD => {
                    let name = "ProgressNotificationParams";
                    let params = parsed::<ProgressNotificationParams>(*params, name)?;
                    Some(is_pending(&params.progress_token))
                }
                _ => None,
            },
            Message::Request { .. } => None,
        }
    }

    /// Registers a handler that may have to wait.
    ///
    /// # Errors
    ///
    /// When too many handlers have begun, another request has the same id, or the connection has
    /// ended.
    pub(crate) fn begin(
        &mut self,
        id: &RequestId,
        kind: HandlerKind,
        reply: &ReplyTo<D>,
    ) -> Result<RequestKey, RequestError> {
        let limits = &self.limits;
        let count = self.in_flight.count(kind);
        if self.terminated {
            return Err(RequestError::Ending(LifecycleState::Terminated));
        }
        if kind == HandlerKind::Work && count >= limits.max_in_flight {
            return Err(RequestError::Busy(limits.max_in_flight));
        }
        if kind == HandlerKind::Open && count >= limits.max_open {
            return Err(RequestError::TooManySubscriptions(limits.max_open));
        }
        let key = self.in_flight.insert(id, kind, reply.clone());
        let key = key.ok_or_else(|| RequestError::DuplicateId(id.clone()))?;
        if R::IS_CLIENT && kind == HandlerKind::Work {
            self.pending
                .hold(id, now(), |it| it.waiter.options.takes_input);
        }
        Ok(key)
    }

    /// Records the task of a handler that has to wait. If the request was cancelled meanwhile, the
    /// task is aborted.
    pub(crate) fn waits(&mut self, key: &RequestKey, task: AbortHandle) {
        match self.in_flight.get_mut(key) {
            Some(request) => request.task = Some(task),
            None => task.abort(),
        }
    }

    /// Records that a handler is done. Returns `None` if the request was cancelled.
    pub(crate) fn end(&mut self, key: &RequestKey) -> Option<ReplyTo<D>> {
        let reply = self.in_flight.remove(key)?;
        self.pending.release(&key.id, now);
        Some(reply)
    }

    /// Takes the answer to one request, and returns the bytes to send, which may be empty. Returns
    /// `None` while other requests of the same batch are unanswered.
    pub(crate) fn answer(&mut self, reply: &ReplyTo<D>, answer: Vec<u8>) -> Option<Vec<u8>> {
        match reply.batch {
            None => Some(answer),
            Some(batch) => self.batches.answer(batch, &answer),
        }
    }

    /// Records that the connection has ended, and drops all handlers.
    pub(crate) fn terminate(&mut self) -> Vec<(RequestId, ReplyTo<D>)> {
        self.terminated = true;
        self.role.terminate();
        self.in_flight.cancel_all()
    }

    pub(crate) fn sent(&mut self, id: i64, requested: PendingCall<D>) {
        let timeouts = requested.waiter.options.timeouts;
        self.pending.insert(id, requested, timeouts, now());
    }

    /// Removes a request whose caller no longer waits, and returns the notification that cancels it
    /// at the peer. If a late result is still useful, the request is kept for the default time
    /// limit instead.
    pub(crate) fn abandon(&mut self, id: i64) -> Option<Addressed<D>> {
        let mut call = self.pending.remove(id)?;
        let reason = "the caller no longer waits for the answer";
        if call.waiter.options.late.is_none() {
            return call.give_up(id, reason, CallError::Closed);
        }
        let cancellation = call.cancellation(id, reason);
        let to = call.to.clone();
        let options = &mut call.waiter.options;
        (options.cancellable, options.takes_input) = (false, false);
        options.progress = None;
        let timeouts = Timeouts::within(ANSWER_IDLE_TIMEOUT);
        self.pending.insert(id, call, timeouts, now());
        Some((to, cancellation?))
    }

    /// Fails the requests that have expired, and returns the notifications that cancel them at the
    /// peer.
    pub(crate) fn expire(&mut self) -> Vec<Addressed<D>> {
        let expired = self.pending.expire(now()).into_iter();
        expired
            .filter_map(|(id, call, waited)| {
                let method = call.waiter.options.method.to_string();
                let error = CallError::Timeout { method, waited };
                call.give_up(id, "no answer came in time", error)
            })
            .collect()
    }

    /// Fails all requests to the peer, and returns the notifications that cancel them.
    pub(crate) fn abandon_all(&mut self) -> Vec<Addressed<D>> {
        let reason = "the connection is being closed";
        let pending = self.pending.drain();
        pending
            .filter_map(|(id, call)| call.give_up(id, reason, CallError::Closed))
            .collect()
    }

    pub(crate) fn suspend(&mut self, id: &RequestId, suspended: bool) {
        let RequestId::Number(id) = id else { return };
        let call = self.pending.suspend(*id, suspended, now());
        let watched = call.and_then(|call| call.waiter.options.suspended.as_ref());
        if let Some(watched) = watched {
            watched.send_replace(suspended);
        }
    }

    /// Fails the request `id` to the peer, because the transport will not get an answer to it.
    pub(crate) fn fail(&mut self, id: &RequestId, error: CallError) {
        if let RequestId::Number(id) = id
            && let Some(requested) = self.pending.remove(*id)
        {
            requested.waiter.finish(Err(error));
        }
    }

    /// Fails all requests to the peer, because the peer is gone.
    pub(crate) fn fail_all(&mut self, error: impl Fn(&PendingCall<D>) -> CallError) {
        for (_, requested) in self.pending.drain() {
            let error = error(&requested);
            requested.waiter.finish(Err(error));
        }
    }
}

/// Converts a message over the size limit. Only the beginning and the end of the message are known.
pub(super) fn too_large<'a>(head: Head, limit: usize) -> Member<'a> {
    let error = RequestError::TooLarge(limit);
    if head.is_response() {
        let id = head.id;
        let reason = error.to_string();
        return Ok(Message::InvalidResponse { id, reason });
    }
    Err(InvalidMessage {
        id: head.id,
        has_method: head.has_method,
        error: error.to_error(),
    })
}

/// Decodes the parameters of a notification as the type called `name`.
fn parsed<T: DeserializeOwned>(params: Option<RawJsonRef<'_>>, name: &str) -> Option<T> {
    let parsed = mcp_types::read(params?, name, Revision::LATEST).map(|(params, _)| params);
    parsed
        .inspect_err(|fault| tracing::debug!(%fault, "ignoring a malformed notification"))
        .ok()
}
