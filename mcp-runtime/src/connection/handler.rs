//! The two roles in a connection, server and client, and the handlers of their requests: polled
//! once in place, with their panics contained.
//!
//! Most handlers are done at their first poll, so a result stays a value, without a task, wherever
//! it can. These are its states on the way from a function to the transport:
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
//! A handler that may not begin, because too many have begun, is not polled: `Polled::Refused`.

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

/// A future that can be moved between threads, boxed.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// One side of a connection: it serves the requests of the other side.
pub(crate) trait Role: Send + 'static {
    /// A result that can be written.
    type Answer: JsonRpcResult;

    /// True if this side is the client. Then a message without `method`, `result` and `error`
    /// counts as a response, and the time limits of calls are suspended while requests of the
    /// server are answered.
    const IS_CLIENT: bool;

    /// Notes that the peer has sent a frame.
    fn heard(&mut self) {}

    /// Notes that the peer has sent a frame that is no message.
    fn not_a_message(&mut self, _frame: &[u8]) {}

    /// Serves a request of a stream, at once or later.
    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<Self::Answer>;

    /// Handles a notification of a stream, other than a cancellation.
    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>);

    /// Checks that the negotiated revision has batches.
    fn accepts_batches(&self) -> Result<(), RequestError>;

    /// Returns true if requests of the peer are answered.
    fn answers(&self) -> bool;

    /// Returns the id for the error about an invalid message with the readable `id`; `None` if such
    /// messages are not answered.
    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>>;

    /// Refuses new requests from now on.
    fn shut_down(&mut self);

    /// Notes that the connection is over.
    fn terminate(&mut self);
}

/// The answer to a request, or the future of it.
pub(crate) enum Served<A> {
    /// The answer.
    Now(Result<A, ErrorObject>),
    /// A handler; dropping it cancels the request.
    Later(BoxFuture<Result<A, ErrorObject>>),
    /// A subscription, which lasts until one side ends it.
    Open(BoxFuture<Result<A, ErrorObject>>),
}

impl<A> From<RequestError> for Served<A> {
    fn from(error: RequestError) -> Self {
        Self::Now(Err(error.to_error()))
    }
}

/// A handler that has to wait.
type PendingHandler<A> = Contained<dyn Future<Output = Result<A, ErrorObject>> + Send>;

/// What became of a request when its handler was polled once.
pub(crate) enum Polled<A, K> {
    /// The handler is done. `K` is present if it had begun by `begin`.
    Done(Result<A, ErrorObject>, Option<K>),
    /// The handler has to wait.
    Pending(PendingHandler<A>, K),
    /// The handler was not polled.
    Refused(RequestError),
}

/// Polls a handler once: most are done then, and a task costs more than the call. A handler that
/// may have to wait is only polled if `begin` admits it. A panic is an error already.
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

/// Runs `f`; a panic becomes an error without details, which go to the log.
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

/// A future whose panics are contained.
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

/// A result on its way out.
pub(crate) trait JsonRpcResult: Send + 'static {
    /// Appends the response with this result to `out`.
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()>;

    /// The same into an outbox, as one line.
    fn send(&self, outbox: &mut Outbox, id: &RequestId) -> serde_json::Result<()> {
        outbox.push(|out| self.write(out, id))
    }
}

/// The response to the request `id`. A result that can't be written becomes an error.
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

/// The same into an outbox, as one line.
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

/// The error that is the response, unless `write` has written the result.
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
pub(crate) async fn join_all<T>(mut futures: Vec<BoxFuture<T>>) -> Vec<T> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|task| {
        let mut poll = Poll::Ready(());
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none() {
                match future.as_mut().poll(task) {
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
