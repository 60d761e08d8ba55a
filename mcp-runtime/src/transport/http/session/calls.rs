//! Requests of the client, from arrival to answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use http::StatusCode;
use mcp_types::jsonrpc::ErrorObject;
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, InitializeRequest, InitializedNotification,
    Notification, ProgressNotification, RawJsonRef, Request, RequestId,
};
use tokio::task::AbortHandle;

use super::{HttpSession, Sink};
use crate::connection::{BoxFuture, Peer, Served, contain};
use crate::error::RequestError;
use crate::limits::MAX_INITIALIZE_BYTES;
use crate::protocol::{Admission, Negotiated};
use crate::server::{Answer, Call, Server};
use crate::transport::http::exchange::Exchange;
use crate::transport::http::permits::Permits;
use crate::transport::http::status;
use crate::transport::http::work::{Work, written};

/// A request whose handler has to wait.
pub(super) struct Running {
    task: AbortHandle,
    sink: Sink,
}

impl Running {
    pub(super) fn cancel(self) {
        self.task.abort();
        self.sink.give_up();
    }

    /// Cancels the call `id`, and answers that the server had no more time for it.
    pub(super) fn cut(self, id: &RequestId) {
        self.task.abort();
        let (status, message) = refused(id, &RequestError::ShuttingDown, StatusCode::OK);
        self.sink.answer(status, message);
    }

    pub(super) fn sink(&self) -> &Sink {
        &self.sink
    }
}

impl HttpSession {
    /// Serves one request. The answer is given back if it is there at once; otherwise it goes to
    /// `sink` later, whether or not the client still waits.
    pub(in crate::transport::http) fn request(
        self: &Arc<Self>,
        server: &Server,
        call: Call<'_>,
        sink: &Sink,
        permits: &Arc<Permits>,
    ) -> Option<(StatusCode, Vec<u8>)> {
        let id = call.id;
        if self.lock().in_flight.contains_key(id) {
            let refusal = RequestError::DuplicateId(id.clone());
            return Some(refused(id, &refusal, StatusCode::OK));
        }
        let admit = || self.admit(call);
        match contain(|| server.dispatch(call, admit)) {
            Ok(Served::Now(outcome)) => Some(written(id, &outcome, status::handshake)),
            Err(panic) => Some(written(id, &Err(panic), status::handshake)),
            Ok(Served::Later(handler) | Served::Open(handler)) => {
                self.start(call, handler, sink, permits)
            }
        }
    }

    fn admit<'a>(&self, call: Call<'a>) -> Result<Admission<'a>, RequestError> {
        let length = call.params.map_or(0, |params| params.get().len());
        if call.method == InitializeRequest::METHOD && length > MAX_INITIALIZE_BYTES {
            return Err(RequestError::InvalidParams {
                path: "params".to_owned(),
                reason: format!("at most {MAX_INITIALIZE_BYTES} bytes introduce a client"),
            });
        }
        self.lock().lifecycle.request(call.method, call.params)
    }

    /// Polls a handler once in place, and only spawns it when it has to wait.
    pub(super) fn start(
        self: &Arc<Self>,
        call: Call<'_>,
        handler: BoxFuture<Result<Answer, ErrorObject>>,
        sink: &Sink,
        permits: &Arc<Permits>,
    ) -> Option<(StatusCode, Vec<u8>)> {
        let id = call.id;
        let mut work = Work::new(id.clone(), handler, status::handshake);
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(answer) = Pin::new(&mut work).poll(&mut context) {
            return Some(answer);
        }
        let mut state = self.lock();
        if state.is_over() {
            // It ended while the call began. Nobody would end the call.
            let refusal = RequestError::Ending(state.lifecycle.state());
            return Some(refused(id, &refusal, StatusCode::NOT_FOUND));
        }
        if state.in_flight.contains_key(id) {
            let refusal = RequestError::DuplicateId(id.clone());
            return Some(refused(id, &refusal, StatusCode::OK));
        }
        let limit = permits.limit();
        let exchange = call.peer.link::<Exchange>();
        let permit = exchange.map(|exchange| permits.take(&exchange.arrival));
        let (false, Some(Some(permit))) = (state.in_flight.len() >= limit, permit) else {
            let refusal = RequestError::Busy(limit);
            return Some(refused(id, &refusal, StatusCode::TOO_MANY_REQUESTS));
        };
        let finishing = finish(Arc::clone(self), id.clone(), work.holding(permit));
        let running = Running {
            task: tokio::spawn(finishing).abort_handle(),
            sink: sink.clone(),
        };
        let stream = Arc::clone(sink.stream());
        state.streams.insert(stream.number(), stream);
        state.in_flight.insert(id.clone(), running);
        None
    }

    /// Takes note of a notification. `peer` is the way to the client, where it has to be known.
    pub(in crate::transport::http) fn notification(
        &self,
        server: &Server,
        (method, params): (&str, Option<RawJsonRef<'_>>),
        peer: impl FnOnce() -> Peer,
    ) {
        match method {
            InitializedNotification::METHOD => {
                if let Some(negotiated) = self.initialized() {
                    server.initialized(&negotiated, peer);
                }
            }
            CancelledNotification::METHOD => {
                if let Some(id) = parsed::<CancelledNotificationParams>(params)
                    .and_then(|params| params.request_id)
                {
                    self.cancel(&id);
                }
            }
            ProgressNotification::METHOD => {
                if let Some(progress) = parsed(params) {
                    self.progress(progress);
                }
            }
            _ => tracing::debug!(method, "a notification was ignored"),
        }
    }

    /// The outcome of the handshake, if it is done by this.
    pub(super) fn initialized(&self) -> Option<Arc<Negotiated>> {
        let mut state = self.lock();
        if !state.lifecycle.initialized() {
            return None;
        }
        self.session().begin(self.outlet());
        state.lifecycle.operate();
        state.lifecycle.negotiated().cloned()
    }

    /// Whether the revision of the handshake has batches.
    pub(in crate::transport::http) fn accepts_batches(&self) -> Result<(), RequestError> {
        self.lock().lifecycle.accepts_batches()
    }

    fn cancel(&self, id: &RequestId) {
        let running = self.remove(id);
        if let Some(running) = running {
            running.cancel();
            self.end_stream_if_done();
        }
    }

    fn remove(&self, id: &RequestId) -> Option<Running> {
        let mut state = self.lock();
        let running = state.in_flight.remove(id)?;
        let number = running.sink.stream().number();
        let shared = |other: &Running| other.sink.stream().number() == number;
        if !state.in_flight.values().any(shared) {
            state.streams.remove(&number);
        }
        Some(running)
    }
}

/// Works until there is an answer, and hands it over.
async fn finish(session: Arc<HttpSession>, id: RequestId, work: Work) {
    let (status, message) = work.await;
    session.touch(tokio::time::Instant::now().into_std());
    if let Some(running) = session.remove(&id) {
        running.sink.answer(status, message);
        session.end_stream_if_done();
    }
}

/// A refusal, as the answer to the request `id`.
pub(in crate::transport::http) fn refused(
    id: &RequestId,
    refusal: &RequestError,
    status: StatusCode,
) -> (StatusCode, Vec<u8>) {
    let (_, message) = written(id, &Err(refusal.to_error()), status::handshake);
    (status, message)
}

fn parsed<'a, T: serde::Deserialize<'a>>(params: Option<RawJsonRef<'a>>) -> Option<T> {
    let parsed = params?.parse();
    parsed
        .inspect_err(|fault| tracing::debug!(%fault, "a malformed notification was ignored"))
        .ok()
}
