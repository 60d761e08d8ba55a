//! Messages from the client to its session, and requests from the server to the client.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use http::StatusCode;
use mcp_types::jsonrpc::{ErrorObject, Frame, Message, RequestId};
use mcp_types::{InitializeRequest, RawJsonRef, Request};

use super::{Foreign, HttpSession};
use crate::connection::{
    Member, PendingCall, Polled, ReplyTo, RequestKey, Served, Step, Unsent, Waiter, contain, now,
    poll_once,
};
use crate::error::RequestError;
use crate::limits::MAX_INITIALIZE_BYTES;
use crate::protocol::RequestParams;
use crate::server::{Answer, IncomingRequest, Server};
use crate::transport::http::exchange::exchange::Exchange;
use crate::transport::http::exchange::expiry::Expiry;
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::server::response;
use crate::transport::http::server::state::{Arrival, Permit, Permits};

/// Everything that serving a message needs: the server, its limits, the HTTP exchange, and the
/// destination of the answer.
pub(crate) struct Delivery<'a> {
    pub(crate) server: &'a Server,
    pub(crate) permits: &'a Arc<Permits>,
    pub(crate) auth_timeout: Duration,
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) reply: ReplyTo<Arc<Stream>>,
    /// The parameters, if they have already been read.
    pub(crate) params: Option<RequestParams<'a>>,
}

impl HttpSession {
    /// Handles one message. Returns the answer if it is available immediately; otherwise the answer
    /// goes to the stream later, whether or not the client still waits.
    pub(crate) fn receive(
        self: &Arc<Self>,
        message: Member<'_>,
        delivery: &Delivery<'_>,
    ) -> Option<(StatusCode, Vec<u8>)> {
        let step = self.lock().core.message(message, delivery.reply.batch);
        match step {
            Step::Done => None,
            Step::Request { id, method, params } => self.request(&id, &method, params, delivery),
            Step::Notification { method, params } => {
                let peer = Exchange::peer(&delivery.exchange);
                let mut state = self.lock();
                let initialized = state.core.role.heard_notification(&method, params, &peer);
                let client = initialized.map(|negotiated| (negotiated, peer));
                if self.session.is_stored() {
                    // The hooks run if no other process has been faster.
                    state.initialized = client.or(state.initialized.take());
                    return None;
                }
                drop(state);
                if let Some((negotiated, peer)) = client {
                    delivery.server.initialized(negotiated, peer);
                }
                None
            }
            Step::Answer(message) => Some((StatusCode::OK, message)),
            Step::Cancelled(reply) => {
                self.answer(&reply, StatusCode::OK, Vec::new());
                None
            }
            Step::CancelledUnknown(id) => {
                self.lock().early.insert(&id, now());
                None
            }
        }
    }

    /// Returns the kind of message that may concern a request of another replica, if there is one in
    /// the frame.
    pub(crate) fn foreign(&self, frame: &Frame<'_>) -> Option<Foreign> {
        let state = self.lock();
        let foreign = |message: &Message<'_>| {
            let is_foreign = state.core.concerns(message) == Some(false);
            is_foreign.then_some(match message {
                Message::Notification { .. } => Foreign::Notification,
                _ => Foreign::Answer,
            })
        };
        match frame {
            Frame::Single(message) => foreign(message),
            Frame::Batch(members) => members.iter().flatten().filter_map(foreign).max(),
        }
    }

    /// Takes the messages that concern requests of this process from a body that another replica
    /// has received. Returns true if an answer was among them.
    pub(crate) fn overhear(&self, body: &[u8], max_depth: usize) -> bool {
        let members = match Frame::parse_with_max_depth(body, max_depth) {
            Ok(Frame::Single(message)) => vec![Ok(message)],
            Ok(Frame::Batch(members)) => members,
            Err(_) => return false,
        };
        let mut has_answer = false;
        for message in members.into_iter().flatten() {
            let is_notification = matches!(message, Message::Notification { .. });
            let mut state = self.lock();
            match state.core.concerns(&message) {
                Some(true) => has_answer |= !is_notification,
                // A cancellation may arrive before its request.
                Some(false) if is_notification => {}
                _ => continue,
            }
            let step = state.core.message(Ok(message), None);
            drop(state);
            match step {
                Step::Cancelled(reply) => self.answer(&reply, StatusCode::OK, Vec::new()),
                Step::CancelledUnknown(id) => self.lock().early.insert(&id, now()),
                _ => {}
            }
        }
        has_answer
    }

    fn request(
        self: &Arc<Self>,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
        delivery: &Delivery<'_>,
    ) -> Option<(StatusCode, Vec<u8>)> {
        if self.lock().early.remove(id, now()) {
            self.answer(&delivery.reply, StatusCode::OK, Vec::new());
            return None;
        }
        let peer = Exchange::peer(&delivery.exchange);
        let call = IncomingRequest {
            id,
            method,
            params,
            peer: &peer,
            session: &self.session,
        };
        let arrival = &delivery.exchange.arrival;
        let served = contain(|| {
            delivery.server.dispatch(call, || {
                let read = || {
                    delivery
                        .params
                        .map_or_else(|| RequestParams::read(params), Ok)
                };
                let length = params.map_or(0, |params| params.get().len());
                if method == InitializeRequest::METHOD && length > MAX_INITIALIZE_BYTES {
                    return Err(RequestError::InvalidParams {
                        path: "params".to_owned(),
                        reason: format!("must not exceed {MAX_INITIALIZE_BYTES} bytes"),
                    });
                }
                self.lock().core.role.lifecycle.request(method, read)
            })
        });
        let caller = (delivery.permits, arrival, delivery.auth_timeout);
        self.start(id, &delivery.reply, caller, served)
    }

    /// Starts a request. A handler that does not finish immediately needs a permit.
    pub(crate) fn start(
        self: &Arc<Self>,
        id: &RequestId,
        reply: &ReplyTo<Arc<Stream>>,
        (permits, arrival, auth_timeout): (&Arc<Permits>, &Arrival, Duration),
        served: Result<Served<Answer>, ErrorObject>,
    ) -> Option<(StatusCode, Vec<u8>)> {
        let polled = poll_once(served, |kind| {
            let permit = permits.take(arrival);
            let permit = permit.ok_or(RequestError::Busy(permits.limit()))?;
            Ok((self.lock().core.begin(id, kind, reply)?, permit))
        });
        match polled {
            Polled::Done(outcome, begun) => {
                let cancelled = begun.is_some_and(|(key, _)| self.lock().core.end(&key).is_none());
                (!cancelled).then(|| (StatusCode::OK, reply.to.response(id, &outcome)))
            }
            Polled::Pending(handler, (key, permit)) => {
                let expiry = Expiry::of(&arrival.parts, &reply.to, auth_timeout);
                let handler = Expiry::end(expiry, handler);
                let finishing = finish(Arc::clone(self), key.clone(), handler, permit);
                let task = tokio::spawn(finishing).abort_handle();
                let mut state = self.lock();
                state.core.waits(&key, task);
                // The cancellation may have arrived after the request but before `begin`.
                let was_cancelled = state.early.remove(id, now());
                let cancelled = was_cancelled.then(|| state.core.in_flight.cancel(id));
                drop(state);
                if let Some(reply) = cancelled.flatten() {
                    self.answer(&reply, StatusCode::OK, Vec::new());
                }
                None
            }
            Polled::Refused(error) => Some((response::refused_session(&error), error.response(id))),
        }
    }

    /// Takes the answer to one request, which is empty if the request gets none, and sends it
    /// unless other answers of its batch are still missing.
    pub(crate) fn answer(&self, reply: &ReplyTo<Arc<Stream>>, status: StatusCode, answer: Vec<u8>) {
        let stream = &reply.to;
        let length = answer.len();
        let message = self.lock().core.answer(reply, answer);
        let Some(message) = message else {
            return stream.hold(length);
        };
        match message.is_empty() {
            // Over HTTP+SSE, all answers go to the session's only stream.
            false if Arc::ptr_eq(stream, &self.standalone) => drop(stream.push(message)),
            false => stream.answer(status, message),
            true if Arc::ptr_eq(stream, &self.standalone) => {}
            true => stream.end(),
        }
        self.end_stream_if_done();
    }

    /// Sends a request to the client on `stream`.
    ///
    /// # Errors
    ///
    /// When the stream accepts no more messages, or the client has no way to answer.
    pub(crate) fn ask(
        self: &Arc<Self>,
        id: i64,
        frame: Vec<u8>,
        waiter: Waiter,
        stream: &Arc<Stream>,
    ) -> Result<(), Unsent> {
        let mut state = self.lock();
        if !self.answers || state.core.terminated || !stream.push(frame) {
            return Err(Unsent::Closed);
        }
        let requested = PendingCall {
            waiter,
            to: Arc::clone(stream),
            offset: 0,
        };
        state.core.sent(id, requested);
        if !std::mem::replace(&mut state.watched, true) {
            tokio::spawn(watch(Arc::downgrade(self)));
        }
        Ok(())
    }

    /// Returns a function that fails the request to which an oversized response belongs; `None` if
    /// no request to the client waits for a response.
    pub(crate) fn failing(&self) -> Option<impl FnOnce(Option<&RequestId>, String)> {
        let waits = !self.lock().core.pending.is_empty();
        waits.then_some(|id: Option<&RequestId>, reason| {
            self.lock().core.answered(id, Err(reason));
        })
    }

    pub(crate) fn abandon(&self, id: i64) {
        let cancelled = self.lock().core.abandon(id);
        if let Some((stream, message)) = cancelled {
            stream.push(message);
        }
    }

    /// Abandons the requests to the client that have timed out, and returns the time of the next
    /// check.
    fn expire(&self) -> Option<Instant> {
        let mut state = self.lock();
        let expired = state.core.expire();
        let next = state.core.pending.next_deadline();
        state.watched = next.is_some();
        drop(state);
        for (stream, message) in expired {
            stream.push(message);
        }
        next
    }
}

async fn finish(
    session: Arc<HttpSession>,
    key: RequestKey,
    handler: impl Future<Output = Result<Answer, ErrorObject>> + Send,
    permit: Permit,
) {
    let outcome = handler.await;
    drop(permit);
    let reply = {
        let mut state = session.lock();
        state.last_used = now();
        state.core.end(&key)
    };
    if let Some(reply) = reply {
        let answer = reply.to.response(&key.id, &outcome);
        session.answer(&reply, StatusCode::OK, answer);
    }
}

/// Watches the deadlines of a session as long as there are any.
async fn watch(session: Weak<HttpSession>) {
    while let Some(next) = session.upgrade().and_then(|session| session.expire()) {
        // A request that is sent meanwhile may time out before `next`.
        let at_most = now() + Duration::from_secs(1);
        tokio::time::sleep_until(next.min(at_most).into()).await;
    }
}
