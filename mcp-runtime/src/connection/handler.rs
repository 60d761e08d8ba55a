//! The two roles in a connection, server and client, and how their handlers are polled.
//!
//! Most handlers are done at their first poll. Each handler is therefore first polled in place, and
//! a task is spawned only if it has to wait. Panics are contained. A result passes through these
//! states on the way from a function to the transport:
//!
//! ```text
//! function    Reply::Ready         Reply::Pending
//!                 │                    │
//! role        Served::Now          Served::Later     Served::Open (a subscription)
//!                 │                    │                 │
//!                 │                poll_once: done at the first poll?
//!                 │            yes ┌───┴─────────────────┴───┐ no
//! transport   Polled::Done ◄───────┘                         └───► Polled::Pending
//! ```
//!
//! If too many handlers have begun, a handler is not polled, and the state is `Polled::Refused`.

use std::any::Any;
use std::borrow::Cow;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use mcp_types::RawJsonRef;
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{ErrorObject, RequestId, write};

use super::Outbox;
use super::in_flight::HandlerKind;
use crate::error::RequestError;

/// A boxed future that can be sent to another thread.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A side of a connection, which serves the requests of the other side.
pub(crate) trait Role: Send + 'static {
    type Answer: JsonRpcResult;

    /// True if this side is the client. A client treats a message without `method`, `result` and
    /// `error` as a response, and suspends the time limits of calls while it answers requests of
    /// the server.
    const IS_CLIENT: bool;

    /// Called when the peer has sent a frame.
    fn heard(&mut self) {}

    /// Called when the peer has sent a frame that is not a message.
    fn not_a_message(&mut self, _frame: &[u8]) {}

    /// Serves a request that came over a stream.
    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<Self::Answer>;

    /// Handles a notification that came over a stream, except cancellations.
    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>);

    fn accepts_batches(&self) -> Result<(), RequestError>;

    fn answers(&self) -> bool;

    /// Returns the id for the error about an invalid message, or `None` if the message is not
    /// answered. `id` is the id of the message, if it can be read.
    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>>;

    /// Refuses new requests from now on.
    fn shut_down(&mut self);

    fn terminate(&mut self);
}

/// The answer to a request, or a future that returns it.
pub(crate) enum Served<A> {
    Now(Result<A, ErrorObject>),
    /// The handler. Dropping it cancels the request.
    Later(BoxFuture<Result<A, ErrorObject>>),
    /// A subscription, which lasts until one side ends it.
    Open(BoxFuture<Result<A, ErrorObject>>),
}

impl<A> From<RequestError> for Served<A> {
    fn from(error: RequestError) -> Self {
        Self::Now(Err(error.to_error()))
    }
}

type PendingHandler<A> = Contained<dyn Future<Output = Result<A, ErrorObject>> + Send>;

/// The state of a request after its handler was polled once.
pub(crate) enum Polled<A, K> {
    /// The handler is done. `K` is present if `begin` was called.
    Done(Result<A, ErrorObject>, Option<K>),
    Pending(PendingHandler<A>, K),
    /// The handler was not polled.
    Refused(RequestError),
}

/// Polls a handler once, because most handlers are then done, and a task costs more than the call.
///
/// A handler that may have to wait is polled only if `begin` admits it. `served` is an error if the
/// handler has already panicked.
pub(crate) fn poll_once<A, K>(
    served: Result<Served<A>, ErrorObject>,
    begin: impl FnOnce(HandlerKind) -> Result<K, RequestError>,
) -> Polled<A, K> {
    let (kind, future) = match served {
        Ok(Served::Now(outcome)) => return Polled::Done(outcome, None),
        Err(panic) => return Polled::Done(Err(panic), None),
        Ok(Served::Later(future)) => (HandlerKind::Work, future),
        Ok(Served::Open(future)) => (HandlerKind::Open, future),
    };
    let key = match begin(kind) {
        Ok(key) => key,
        Err(error) => return Polled::Refused(error),
    };
    let mut handler = Contained(future);
    let mut cx = Context::from_waker(Waker::noop());
    match Pin::new(&mut handler).poll(&mut cx) {
        Poll::Ready(outcome) => Polled::Done(outcome, Some(key)),
        Poll::Pending => Polled::Pending(handler, key),
    }
}

/// Runs `f`. A panic becomes an error without details, which are only logged.
pub(crate) fn contain<T>(f: impl FnOnce() -> T) -> Result<T, ErrorObject> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        crate::log::error!(panic = text(&*payload), "a handler panicked");
        RequestError::Internal.to_error()
    })
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// A future whose panics become errors.
pub(crate) struct Contained<F: ?Sized>(pub(crate) Pin<Box<F>>);

impl<F, T> Future for Contained<F>
where
    F: Future<Output = Result<T, ErrorObject>> + ?Sized,
{
    type Output = Result<T, ErrorObject>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match contain(|| self.0.as_mut().poll(cx)) {
            Ok(poll) => poll,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

pub(crate) trait JsonRpcResult: Send + 'static {
    /// Appends the response with this result to `out`.
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()>;

    /// Appends the response as one line to an outbox.
    fn send(&self, outbox: &mut Outbox, id: &RequestId) -> serde_json::Result<()> {
        outbox.push(|out| self.write(out, id))
    }
}

/// Returns the response to the request `id`. A result that can't be serialized becomes an error.
pub(crate) fn response<A: JsonRpcResult>(
    id: &RequestId,
    outcome: &Result<A, ErrorObject>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    if let Some(error) = failure(outcome, |answer| answer.write(&mut out, id)) {
        write::error(&mut out, ErrorId::Of(id), &error);
    }
    out
}

/// Like [`response`], but appends the response as one line to an outbox.
pub(super) fn send_response<A: JsonRpcResult>(
    outbox: &mut Outbox,
    id: &RequestId,
    outcome: &Result<A, ErrorObject>,
) {
    if let Some(error) = failure(outcome, |answer| answer.send(outbox, id)) {
        let Ok(()) = outbox.push(|out| {
            write::error(out, ErrorId::Of(id), &error);
            Ok::<_, Infallible>(())
        });
    }
}

/// Writes the result with `write`. Returns the error to respond with if there is no result, or it
/// can't be written.
fn failure<A>(
    outcome: &Result<A, ErrorObject>,
    write: impl FnOnce(&A) -> serde_json::Result<()>,
) -> Option<Cow<'_, ErrorObject>> {
    let answer = match outcome {
        Ok(answer) => answer,
        Err(error) => return Some(Cow::Borrowed(error)),
    };
    match contain(|| write(answer)) {
        Ok(Ok(())) => None,
        Ok(Err(fault)) => {
            crate::log::error!(%fault, "a result can't be serialized");
            Some(Cow::Owned(RequestError::Internal.to_error()))
        }
        Err(panic) => Some(Cow::Owned(panic)),
    }
}

/// Polls `futures` concurrently until all are ready, and returns their outputs in the same order.
pub(crate) async fn join_all<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(|task| {
        let mut poll = Poll::Ready(());
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match Pin::new(future).poll(task) {
                    Poll::Ready(value) => *output = Some(value),
                    Poll::Pending => poll = Poll::Pending,
                }
            }
        }
        poll
    })
    .await;
    outputs.into_iter().flatten().collect()
}
